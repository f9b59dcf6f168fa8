// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

/// ReadHistory of the newest `limit` (> 0) commits, when the version `newest` is known to be there:
/// the log is listed from the first of them on, and their times are made ascending from there.
/// Errors as Snapshot::Load.
Result<std::vector<CommitSummary>> ReadRecentHistory(const TableLog& log, int64_t limit,
                                                     int64_t newest);

}  // namespace weir::delta
