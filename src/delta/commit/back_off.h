// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

namespace weir::delta {

/// Waits between attempts, longer each time, by a random part so that rivals do not march in step.
/// The first few attempts wait for nothing. Not thread-safe.
class BackOff {
 public:
  BackOff();
  /// Sleeps before attempt `number` (1: the first repetition).
  void Wait(int number);

 private:
  std::minstd_rand random_;
};

}  // namespace weir::delta
