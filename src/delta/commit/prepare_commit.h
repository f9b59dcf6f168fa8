// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "delta/commit/pending_commit.h"

namespace weir::delta {

/// A commit ready to be written as one version.
struct PreparedCommit {
  int64_t version = 0;
  int64_t timestamp_ms = 0;  ///< In-commit timestamp where the table has them, else `now_ms`.
  std::vector<Action> actions;
  std::string text;  ///< The file.
};

/// Makes the version behind `tip` of the pending commit: commitInfo first, the in-commit timestamp
/// (above the tip's) and what enables it, row ids and their high water mark. Called anew for every
/// attempt. Errors: those of AssignRowIds; kCorruptLog of the mark.
Result<PreparedCommit> PrepareCommit(const PendingCommit& pending, const TableTip& tip,
                                     int64_t now_ms);

}  // namespace weir::delta
