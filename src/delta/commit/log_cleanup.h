// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

/// The log files that may go.
struct LogCleanupPlan {
  /// The checkpoint that is kept with its commit and everything behind it; -1: nothing may go.
  int64_t kept_checkpoint = -1;
  /// In the order of deletion: commits before the checkpoints that stand for them, old ones first.
  std::vector<std::string> files;
};

/// Which history is old enough to go.
struct LogRetention {
  /// Unset: delta.logRetentionDuration, and nothing goes where delta.enableExpiredLogCleanup is
  /// false.
  std::optional<int64_t> millis;
  int64_t granularity_ms = 86'400'000;  ///< Its end is rounded down to a whole number of these.
};

/// Finds what lies before the newest checkpoint that is as old as delta.logRetentionDuration (30
/// days, counted to midnight UTC): commits, checkpoints, checksums, compactions that begin there,
/// and sidecars older than a day that no kept checkpoint names (protocol section "Metadata
/// Cleanup"). Nothing when delta.enableExpiredLogCleanup is false, or when history below
/// delta.requireCheckpointProtectionBeforeVersion would be taken away in part. Errors: those of the
/// store; kCorruptLog of a commit.
Result<LogCleanupPlan> PlanLogCleanup(const Snapshot& snapshot, const LogRetention& retention = {});

/// Plans and deletes. The number of files deleted. Errors as PlanLogCleanup; a deletion that fails
/// ends the work, and what is left is as good a log as before.
Result<int64_t> CleanUpLog(const Snapshot& snapshot, const LogRetention& retention = {});

}  // namespace weir::delta
