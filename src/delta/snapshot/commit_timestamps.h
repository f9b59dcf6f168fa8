// SPDX-License-Identifier: Apache-2.0
//
// When a commit happened: its in-commit timestamp (protocol section "In-Commit Timestamps") or the
// modification time of its file, made strictly ascending as file systems do not promise that.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/snapshot/log_listing.h"
#include "delta/snapshot/table_log.h"

namespace weir::delta {

struct SnapshotState;

/// The timestamp of the last of `commits` (ascending), when the commit before them has
/// `previous_ms`.
int64_t ContinueTimestamps(int64_t previous_ms, const std::vector<DeltaFile>& commits);

/// The modification times of `commits` (ascending), each made greater than the one before.
std::vector<int64_t> MonotonicTimes(const std::vector<DeltaFile>& commits);

/// The commitInfo of a commit file, by its first bytes if it stands where writers put it; nullopt
/// when the commit has none. Errors: those of the store and of ParseActions.
Result<std::optional<CommitInfo>> ReadCommitInfo(const TableLog& log,
                                                 const storage::ObjectInfo& commit);

/// Whether the table's properties say that commits carry in-commit timestamps.
bool HasInCommitTimestamps(const Metadata& metadata);

/// The timestamp of a state whose `timestamp_ms` is still that of files. Errors: those of the store
/// but kNotFound: without its commit's file a version has the time of the checkpoint.
Result<int64_t> StateTimestamp(SnapshotState& state);

}  // namespace weir::delta
