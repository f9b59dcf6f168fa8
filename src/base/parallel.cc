// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/simulated_thread.h"

namespace weir {

void ParallelFor(size_t count, size_t max_threads, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  auto run = [&] {
    for (size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) work(i);
  };
  std::vector<std::thread> helpers;
  size_t threads = SimulatedThread::IsThisOne() ? 1 : std::min(count, max_threads);
  try {
    while (helpers.size() + 1 < threads) helpers.emplace_back(run);
  } catch (const std::system_error&) {
    // No more threads to be had: those that run, and this one, do all the work.
  }
  run();
  for (auto& helper : helpers) helper.join();
}

Status TryParallelFor(size_t count, size_t max_threads, const std::function<Status(size_t)>& work) {
  std::mutex mutex;  // over `first`
  std::optional<std::pair<size_t, Error>> first;
  ParallelFor(count, max_threads, [&](size_t i) {
    Status done = work(i);
    if (done) return;
    const std::lock_guard lock(mutex);
    if (!first || i < first->first) first.emplace(i, std::move(done.error()));
  });
  if (first) return Fail(std::move(first->second));
  return {};
}

size_t HardwareThreads() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace weir
