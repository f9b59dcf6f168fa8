// SPDX-License-Identifier: Apache-2.0
#include "pipeline/runs/table_schedule.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace weir::pipeline {
namespace {

void CollectTables(const Graph& graph, size_t dataset, std::set<size_t>& tables) {
  for (size_t flow : graph.datasets()[dataset].flows) {
    for (size_t input : graph.flows()[flow].inputs) {
      if (graph.datasets()[input].is_table()) {
        tables.insert(input);
      } else {
        CollectTables(graph, input, tables);
      }
    }
  }
}

class Schedule {
 public:
  Schedule(const Graph& graph, const std::set<size_t>& tables,
           const std::function<void(size_t, size_t)>& run)
      : run_(run) {
    for (size_t at : graph.order()) {
      if (!tables.contains(at)) continue;
      std::set<size_t> reads = TablesReadBy(graph, at);
      std::erase_if(reads, [&](size_t input) { return !tables.contains(input); });
      waiting_.emplace_back(at, std::move(reads));
    }
  }

  void Work(size_t worker) {
    std::unique_lock lock(mutex_);
    while (!waiting_.empty()) {
      const std::optional<size_t> table = TakeReady();
      if (!table) {
        changed_.wait(lock);
        continue;
      }
      lock.unlock();
      run_(worker, *table);
      lock.lock();
      done_.insert(*table);
      changed_.notify_all();
    }
    changed_.notify_all();
  }

 private:
  std::optional<size_t> TakeReady() {
    const auto ready = std::ranges::find_if(
        waiting_, [&](const auto& entry) { return std::ranges::includes(done_, entry.second); });
    if (ready == waiting_.end()) return std::nullopt;
    const size_t table = ready->first;
    waiting_.erase(ready);
    return table;
  }

  const std::function<void(size_t, size_t)>& run_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<size_t, std::set<size_t>>> waiting_;
  std::set<size_t> done_;
};

}  // namespace

std::set<size_t> TablesReadBy(const Graph& graph, size_t table) {
  std::set<size_t> tables;
  CollectTables(graph, table, tables);
  return tables;
}

void RunInOrder(const Graph& graph, const std::set<size_t>& tables, size_t workers,
                const std::function<void(size_t worker, size_t table)>& run) {
  Schedule schedule(graph, tables, run);
  std::vector<std::thread> threads;
  for (size_t worker = 1; worker < std::min(workers, tables.size()); ++worker)
    threads.emplace_back([&schedule, worker] { schedule.Work(worker); });
  schedule.Work(0);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace weir::pipeline
