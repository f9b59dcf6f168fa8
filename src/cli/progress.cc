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
constexpr int kWidth = 40;

void Draw(double percent) {
  const int filled = static_cast<int>(percent / 100 * kWidth);
  std::string bar;
  for (int i = 0; i < kWidth; ++i) bar += i < filled ? "█" : "░";
  std::fprintf(stderr, "\r%s %3.0f %%", bar.c_str(), percent);
  std::fflush(stderr);
}

}  // namespace

bool ProgressDisplay::IsUseful() { return ::isatty(STDERR_FILENO) != 0; }

ProgressDisplay::ProgressDisplay(std::function<double()> percent) {
  if (!IsUseful()) return;
  ticker_.emplace(kQuietTime, [this, percent = std::move(percent)] {
    const double done = percent();
    if (done < 0) return;
    Draw(done);
    drawn_ = true;
  });
}

ProgressDisplay::~ProgressDisplay() {
  ticker_.reset();
  if (drawn_) std::fputs(kClearLine, stderr);
}

}  // namespace weir::cli
