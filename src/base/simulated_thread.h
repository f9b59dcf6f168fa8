// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace weir {

/// While one lives, the thread that made it belongs to a simulation, in which every run of a seed
/// must be the same: ParallelFor stays on this thread, and PauseMillis calls `pause` instead of
/// sleeping. One per thread at a time.
class SimulatedThread {
 public:
  explicit SimulatedThread(std::function<void(int64_t millis)> pause);
  ~SimulatedThread();
  SimulatedThread(const SimulatedThread&) = delete;
  SimulatedThread& operator=(const SimulatedThread&) = delete;

  /// Whether this thread is a simulated one.
  static bool IsThisOne();

 private:
  friend void PauseMillis(int64_t millis);

  std::function<void(int64_t millis)> pause_;
};

/// Sleeps, unless this thread is simulated.
void PauseMillis(int64_t millis);

}  // namespace weir
