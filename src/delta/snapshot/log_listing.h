// SPDX-License-Identifier: Apache-2.0
//
// What a log's folder holds, and which of it makes a version: the newest usable checkpoint at or
// below it and everything behind that.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "delta/snapshot/log_files.h"
#include "delta/snapshot/table_log.h"
#include "storage/object_store.h"

namespace weir::delta {

/// A commit or a compaction.
struct DeltaFile {
  int64_t version = 0;
  int64_t end_version = 0;  ///< Of a compaction; of a commit, its version.
  storage::ObjectInfo info;

  bool is_compaction() const { return end_version != version; }
};

/// All files of one complete checkpoint (but for sidecars, which only its content tells).
struct CheckpointFiles {
  int64_t version = 0;
  bool json = false;
  std::vector<storage::ObjectInfo> files;  ///< One, or the parts in order.

  int64_t total_bytes() const;
};

/// A listing of the log, each kind ascending by version. Files that are no part of a log are not in
/// it, nor are multi-part checkpoints with a part missing.
struct LogListing {
  std::vector<DeltaFile> commits;
  std::vector<DeltaFile> compactions;
  /// Of one version, the better ones last: multi-part, UUID-named, classic.
  std::vector<CheckpointFiles> checkpoints;
  std::vector<DeltaFile> checksums;

  bool empty() const { return commits.empty() && checkpoints.empty(); }
  /// The newest version there is. Requires !empty().
  int64_t latest_version() const;
  /// The commit of a version, or nullptr.
  const DeltaFile* FindCommit(int64_t version) const;
  const DeltaFile* FindChecksum(int64_t version) const;
};

/// The log from the files of `first_version` on, listed or asked for. Errors: those of the store.
Result<LogListing> ListLog(const TableLog& log, int64_t first_version = 0);

/// The commits from `first` on, for a reader that has come to it: as ListLog, or where that would
/// read the whole folder (on a disk, on Azure), by asking for one file after the other, and then
/// without other files than commits. Errors: those of the store.
Result<LogListing> ListCommitsFrom(const TableLog& log, int64_t first);

/// The oldest version that can be built: 0, or the oldest checkpoint's; nullopt when there is none.
std::optional<int64_t> EarliestVersion(const LogListing& listing);

/// Whether a version that was asked for is in the log. Errors: kNotFound DELTA_VERSION_NOT_FOUND
/// with the versions there are.
Status CheckVersion(const TableLog& log, const LogListing& listing, int64_t version);

/// The commits (or, where `use_compactions` and one fits, compactions instead of them) that cover
/// the versions first..last without a gap, ascending. Errors: kCorruptLog
/// DELTA_VERSIONS_NOT_CONTIGUOUS names the versions that are missing, or
/// DELTA_TRUNCATED_TRANSACTION_LOG when they are missing from the start.
Result<std::vector<DeltaFile>> CoverVersions(const TableLog& log, const LogListing& listing,
                                             int64_t first, int64_t last, bool use_compactions);

}  // namespace weir::delta
