// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <thread>
#include <utility>

namespace weir::cli {
namespace {

std::mutex mutex;
std::function<void()> current_cancel;
std::atomic<int> interrupts{0};
int wake_pipe[2];

// Only what a signal handler may do: the work is the watcher thread's.
void OnSignal(int) {
  const int saved = errno;
  if (interrupts.fetch_add(1) > 0) _exit(130);
  [[maybe_unused]] const ssize_t ignored = ::write(wake_pipe[1], "i", 1);
  errno = saved;
}

void Watch() {
  char byte = 0;
  while (true) {
    const ssize_t count = ::read(wake_pipe[0], &byte, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count != 1) return;
    const std::lock_guard lock(mutex);
    if (current_cancel) current_cancel();
  }
}

void StartWatcher() {
  static std::once_flag started;
  std::call_once(started, [] {
    if (::pipe(wake_pipe) == 0) std::thread(Watch).detach();
  });
}

struct sigaction previous;

}  // namespace

InterruptScope::InterruptScope(std::function<void()> cancel) {
  StartWatcher();
  interrupts = 0;
  {
    const std::lock_guard lock(mutex);
    current_cancel = std::move(cancel);
  }
  struct sigaction action {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, &previous);
}

InterruptScope::~InterruptScope() {
  ::sigaction(SIGINT, &previous, nullptr);
  const std::lock_guard lock(mutex);
  current_cancel = nullptr;
}

}  // namespace weir::cli
