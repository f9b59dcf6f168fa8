// SPDX-License-Identifier: Apache-2.0
//
// ALTER TABLE t DROP FEATURE f: the table is brought to a state that does without the feature, and
// its protocol is lowered to the weakest one that holds what is left. Old versions in the log may
// still need a reader feature; either they are fenced off by checkpoints that the
// checkpointProtection feature guards, or, with TRUNCATE HISTORY, they have to go first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "delta/features/features.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

/// Rewrites data files, which needs a reader and writer of Parquet. Each call makes at most one
/// commit on `snapshot`.
class FeatureRewriter {
 public:
  virtual ~FeatureRewriter() = default;
  /// Writes anew, without deleted rows, the files that have a deletion vector.
  virtual Status PurgeVectors(const SnapshotPtr& snapshot) = 0;
  /// Writes all files anew as a table of that metadata has them, and makes it the table's; rows
  /// stay as they are.
  virtual Status RewriteFor(const SnapshotPtr& snapshot, const Metadata& metadata,
                            const std::string& operation) = 0;
};

/// Drops the feature `name` (any case) in one or more commits, and returns the version of the last
/// one. When an error comes halfway the table is whole: what was done so far has switched the
/// feature off or removed its traces, and the same command goes on from there.
///
/// Errors: kInvalidArgument DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY,
/// DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT, DELTA_FEATURE_DROP_DEPENDENT_FEATURE,
/// DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED (`truncate_history` for a feature that leaves
/// nothing in the history), DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE (constraints are left),
/// DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING,
/// DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION; kUnsupportedFeature
/// DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE, DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE;
/// kConflictRetryable, when the retention has to pass first:
/// DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD, DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST,
/// DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD, and
/// DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL when others use the feature meanwhile; those of
/// Transaction::Commit and of the rewriter.
Result<int64_t> DropFeature(SnapshotPtr snapshot, std::string_view name, bool truncate_history,
                            FeatureRewriter& rewriter);

}  // namespace weir::delta
