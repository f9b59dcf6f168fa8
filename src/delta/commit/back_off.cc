// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/back_off.h"

#include <algorithm>
#include <chrono>
#include <thread>

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
  std::this_thread::sleep_for(std::chrono::milliseconds(wait(random_)));
}

}  // namespace weir::delta
