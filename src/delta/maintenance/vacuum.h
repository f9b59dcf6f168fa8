// SPDX-License-Identifier: Apache-2.0
//
// VACUUM deletes files below a table's folder that no version within the retention time needs:
// files that were removed from the table longer ago than that, and files that never belonged to it
// (of writers that died). What the newest snapshot names, or names as removed within the retention,
// stays: data files and deletion vectors. Change data files, which no snapshot names, stay until
// they are as old as the retention. `_delta_log` and all other folders and files that begin with
// `_` or `.` are not touched, except partition folders (`_p=1`), `_change_data` and, on the local
// file system, what Weir's processes were writing when they were killed; neither is a folder that
// is a table of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "delta/snapshot/snapshot.h"
#include "storage/object_store.h"

namespace weir::delta {

struct VacuumOptions {
  /// How long removed files are kept.
  int64_t retention_ms = 0;
  /// Only tells what would be deleted.
  bool dry_run = false;
  /// Looks only at files that commits still in the log have removed, and at their change files,
  /// without listing the table's folder: quick, but files that never belonged to the table, or that
  /// left it before the oldest commit in the log, stay.
  bool lite = false;
  /// Set: the run is told in the log, by a commit VACUUM START with these operation parameters
  /// before the first file goes and a commit VACUUM END behind the last. Never of a dry run.
  std::optional<JsonValue> logged;
  /// The files there are, as an inventory of the store lists them, in place of a listing. What lies
  /// outside of the table's folder is passed over.
  std::optional<std::vector<storage::ObjectInfo>> inventory;
  /// Full paths of files that are needed besides, as by shallow clones.
  std::vector<std::string> also_needed;
};

struct VacuumResult {
  /// Full paths, sorted; deleted unless it was a dry run.
  std::vector<std::string> files;
  int64_t bytes = 0;
  /// How many folders were looked at.
  int64_t folders = 1;
};

/// Errors: those of the commit VACUUM START, before anything is deleted, and of VACUUM END; kIo
/// when the folder cannot be listed or a file cannot be deleted (the others are deleted all the
/// same, and the message counts those that were not); kCorruptLog
/// DELTA_CANNOT_RECONSTRUCT_PATH_FROM_URI for a file whose path cannot be understood: nothing is
/// deleted then, since it might be any of those found.
Result<VacuumResult> Vacuum(const SnapshotPtr& snapshot, const VacuumOptions& options);

}  // namespace weir::delta
