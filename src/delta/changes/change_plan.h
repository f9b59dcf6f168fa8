// SPDX-License-Identifier: Apache-2.0
//
// The plan of a change feed over a range of versions: which files to read, under which schema.
// Reading them is the engine's.
#pragma once

#include <vector>

#include "base/result.h"
#include "delta/changes/change_range.h"
#include "delta/changes/commit_changes.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

struct ChangePlan {
  ChangeRange range;
  /// How all rows are given out: the newest metadata, or with column mapping that of the last
  /// version of the range.
  Metadata metadata;
  TypePtr schema;
  /// Every version of the range, also those without changes.
  std::vector<CommitChanges> commits;
};

/// Plans the changes of a table. `latest` is its newest snapshot.
/// Errors: those of ResolveChangeRange, Snapshot::Load at the start, and ReadCommit (kNotFound
/// DELTA_VERSION_NOT_FOUND for a commit that is cleaned up); kInvalidArgument
/// DELTA_MISSING_CHANGE_DATA when the feed was not on, or was switched off, at a version of the
/// range, DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA when a version's rows do not fit the
/// schema; kCorruptLog of FindChanges.
Result<ChangePlan> PlanChanges(const SnapshotPtr& latest, const ChangeBounds& bounds);

}  // namespace weir::delta
