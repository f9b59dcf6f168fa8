// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "base/result.h"

namespace weir {

/// Calls `work(i)` for every i in [0, count), on up to `max_threads` threads (this one is one of
/// them), and returns when all are done. Calls start in ascending order. `work` must not throw and
/// must be safe to call from several threads at once. A SimulatedThread does all the work alone.
void ParallelFor(size_t count, size_t max_threads, const std::function<void(size_t)>& work);

/// As ParallelFor, for work that may fail: all of it is done, whatever fails. Returns the failure
/// of the smallest `i`.
Status TryParallelFor(size_t count, size_t max_threads, const std::function<Status(size_t)>& work);

/// How many threads can run at once on this machine, at least 1.
size_t HardwareThreads();

}  // namespace weir
