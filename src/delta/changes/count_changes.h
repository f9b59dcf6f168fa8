// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "delta/changes/commit_changes.h"
#include "delta/snapshot/table_log.h"

namespace weir::delta {

/// How many rows of a file are changes, as far as the log and its deletion vectors tell: nullopt
/// for change data files, and for data files whose statistics do not say. Reads vectors where two
/// of them must be compared. Errors: those of ReadDeletionVector.
Result<std::optional<int64_t>> CountChangedRows(const TableLog& log, const ChangeFile& file);

}  // namespace weir::delta
