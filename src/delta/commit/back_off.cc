// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/back_off.h"

#include <algorithm>

#include "base/simulated_thread.h"

namespace weir::delta {
namespace {

constexpr int kFreeAttempts = 2;
constexpr int kFirstWaitMs = 4;
constexpr int kLongestWaitMs = 1000;
constexpr int kMaxDoublings = 8;

}  // namespace

BackOff::BackOff() : random_(std::random_device()()) {}

void BackOff::Wait(int number) {
  if (number <= kFreeAttempts) return;
  int doublings = std::min(number - kFreeAttempts - 1, kMaxDoublings);
  int longest = std::min(kFirstWaitMs << doublings, kLongestWaitMs);
  std::uniform_int_distribution<int> wait(longest / 2, longest);
  PauseMillis(wait(random_));
}

}  // namespace weir::delta
