// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/result.h"
#include "delta/snapshot/table_log.h"

namespace weir::delta {

/// Writes the log compaction of the versions first..last (protocol section "Log Compaction Files"):
/// one file with the reconciled actions of these commits, removes among them, which readers may
/// take in their place. One that is there already stays as it is, as it says the same. Errors:
/// kInvalidArgument WEIR_INVALID_COMPACTION_RANGE unless 0 <= first < last; kNotFound
/// DELTA_VERSION_NOT_FOUND for a commit that the log does not hold; kCorruptLog; those of the
/// store.
Status WriteLogCompaction(const TableLog& log, int64_t first, int64_t last);

}  // namespace weir::delta
