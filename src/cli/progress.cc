// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

namespace weir::cli {
namespace {

constexpr std::chrono::milliseconds kQuietTime{1000};
constexpr std::chrono::milliseconds kInterval{200};
constexpr int kWidth = 40;
constexpr const char* kClearLine = "\r\x1b[K";

void Draw(double percent) {
  const int filled = static_cast<int>(percent / 100 * kWidth);
  std::string bar;
  for (int i = 0; i < kWidth; ++i) bar += i < filled ? "█" : "░";
  std::fprintf(stderr, "\r%s %3.0f %%", bar.c_str(), percent);
  std::fflush(stderr);
}

}  // namespace

bool ProgressDisplay::IsUseful() { return ::isatty(STDERR_FILENO) != 0; }

ProgressDisplay::ProgressDisplay(std::function<double()> percent) : percent_(std::move(percent)) {
  if (IsUseful()) thread_ = std::thread([this] { Run(); });
}

ProgressDisplay::~ProgressDisplay() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopping_.notify_one();
  thread_.join();
}

void ProgressDisplay::Run() {
  std::unique_lock lock(mutex_);
  bool drawn = false;
  auto wait = kQuietTime;
  while (!stopping_.wait_for(lock, wait, [this] { return stop_; })) {
    wait = kInterval;
    const double percent = percent_();
    if (percent < 0) continue;
    Draw(percent);
    drawn = true;
  }
  if (drawn) std::fputs(kClearLine, stderr);
}

}  // namespace weir::cli
