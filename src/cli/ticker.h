// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>

namespace weir::cli {

/// While it lives, calls `tick` from a thread of its own: first after `quiet`, then five times a
/// second. The destructor waits for a call that runs, so it must not be called with a lock held
/// that `tick` takes.
class Ticker {
 public:
  Ticker(std::chrono::milliseconds quiet, std::function<void()> tick);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool stop_ = false;
  std::thread thread_;
};

/// Before it the cursor is anywhere in a line, behind it at the beginning of an empty one.
inline constexpr const char* kClearLine = "\r\x1b[K";

struct TerminalSize {
  size_t columns = 80;
  size_t rows = 22;
};

/// Of the terminal at stderr, the usual one where it does not tell.
TerminalSize SizeOfTerminal();

}  // namespace weir::cli
