// SPDX-License-Identifier: Apache-2.0
//
// The plan of a change feed over a range of versions: which files to read, under which schema.
// Reading them is the engine's.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "delta/changes/change_range.h"
#include "delta/changes/commit_changes.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

/// What is read of each commit, and what for.
struct ChangeReading {
  ChangeSource source = ChangeSource::kFeed;
  AppendPolicy appends;  ///< For kAppends.
  /// The schema of the range's last version, not the newest.
  bool end_schema = false;
  /// The table's rows at the range's last version as inserts (SnapshotAsInserts), not what the
  /// range has changed; `source` then only tells what must be on.
  bool snapshot = false;

  bool operator==(const ChangeReading&) const = default;
};

/// Protocol, metadata and time of one version.
struct VersionState {
  int64_t version = -1;
  Protocol protocol;
  Metadata metadata;
  int64_t timestamp_ms = 0;
};

struct ChangePlan {
  ChangeRange range;
  /// How all rows are given out: the newest metadata, or with column mapping or end_schema that of
  /// the last version of the range.
  Metadata metadata;
  TypePtr schema;
  /// As of the last version of the range; of an empty range, as of the latest version.
  VersionState end;
  /// Every version of the range, also those without changes; with ChangeReading::snapshot the last
  /// one alone.
  std::vector<CommitChanges> commits;
};

/// Some of the files of a plan, in its order: `count` (unset: all) behind the first `skip`.
struct FileSlice {
  int64_t skip = 0;
  std::optional<int64_t> count;
};

/// The plan with the files of the slice alone.
ChangePlan SliceOf(const ChangePlan& plan, const FileSlice& slice);

/// Plans the changes of a table. `latest` is its newest snapshot. Of the log only the commits of
/// the range are read. The log is listed as a whole where the times of its files count (each is
/// greater than the one before), and an old range's first version is loaded; neither when `before`
/// is the state right before the range (ChangePlan::end of the plan that came before).
/// Errors: those of ResolveChangeRange, Snapshot::Load at the start, and ReadCommit (kNotFound
/// DELTA_VERSION_NOT_FOUND for a commit that is cleaned up); kInvalidArgument
/// DELTA_MISSING_CHANGE_DATA when the feed (for kFiles: row tracking) was not on, or was switched
/// off, at a version of the range, DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA when a version's
/// rows do not fit the schema; those of FindChangesBy.
Result<ChangePlan> PlanChanges(const SnapshotPtr& latest, const ChangeBounds& bounds,
                               const ChangeReading& reading = {},
                               const VersionState* before = nullptr);

}  // namespace weir::delta
