// SPDX-License-Identifier: Apache-2.0
#include "cli/ticker.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <utility>

namespace weir::cli {
namespace {

constexpr std::chrono::milliseconds kInterval{200};

}  // namespace

Ticker::Ticker(std::chrono::milliseconds quiet, std::function<void()> tick)
    : thread_([this, quiet, tick = std::move(tick)] {
        std::unique_lock lock(mutex_);
        auto wait = quiet;
        while (!stopping_.wait_for(lock, wait, [this] { return stop_; })) {
          wait = kInterval;
          tick();
        }
      }) {}

Ticker::~Ticker() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopping_.notify_one();
  thread_.join();
}

TerminalSize SizeOfTerminal() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col <= 1) return {};
  return {size.ws_col, size.ws_row > 2 ? size.ws_row : TerminalSize().rows};
}

}  // namespace weir::cli
