// SPDX-License-Identifier: Apache-2.0
//
// RESTORE makes the table what it was at an older version, by a new version: the files that were
// live then and are not now are added again (with the row ids that they had), those that are live
// now and were not then are removed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "delta/commit/transaction.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

struct RestoreResult {
  /// operationMetrics, by Spark's names: tableSizeAfterRestore, numOfFilesAfterRestore,
  /// numRemovedFiles, numRestoredFiles, removedFilesSize, restoredFilesSize.
  std::map<std::string, int64_t> metrics;
  int64_t version = 0;  ///< The new version.
};

/// Restores the table of `current`, its newest snapshot, to the state of `target`, an older one of
/// the same table. The protocol is never lowered: it becomes what both versions need. `parameters`
/// go into the history (version, timestamp). Errors: kNotFound DELTA_CANNOT_RESTORE_MISSING_FILES
/// names the first file that VACUUM has deleted and how many are missing, before anything is
/// written; those of Transaction::Commit.
Result<RestoreResult> Restore(const SnapshotPtr& current, const Snapshot& target,
                              JsonValue parameters);

}  // namespace weir::delta
