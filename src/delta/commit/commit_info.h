// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "delta/commit/pending_commit.h"

namespace weir::delta {

/// What the commit at hand adds to the pending one's provenance.
struct CommitInfoFacts {
  int64_t timestamp_ms = 0;
  std::optional<int64_t> in_commit_timestamp;
  IsolationLevel isolation = IsolationLevel::kSerializable;
  bool tracks_rows = false;
};

/// commitInfo with the members and the order that Spark writes (protocol section "Commit Provenance
/// Information"): [inCommitTimestamp,] timestamp, operation, operationParameters, readVersion,
/// isolationLevel, isBlindAppend, operationMetrics, engineInfo, txnId, and the caller's own ones.
CommitInfo BuildCommitInfo(const PendingCommit& pending, const CommitInfoFacts& facts);

/// "Serializable", "WriteSerializable", "SnapshotIsolation".
std::string_view ToString(IsolationLevel level);

/// The level of a commit: the caller's, else snapshot isolation when files are only rearranged,
/// else the table property delta.isolationLevel, else serializable, as on Spark.
IsolationLevel IsolationOf(const PendingCommit& pending, const Metadata& metadata);

}  // namespace weir::delta
