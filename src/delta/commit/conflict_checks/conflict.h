// SPDX-License-Identifier: Apache-2.0
//
// Another writer's commit has come first. Each check compares it with what the pending commit has
// read and written, and names the contradiction. A new rule is a new file here and one line in
// AllConflictChecks().
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/commit/pending_commit.h"

namespace weir::delta {

/// A commit that was written before ours.
struct WinningCommit {
  int64_t version = 0;
  std::vector<Action> actions;

  /// "version 7 (DELETE)", for messages.
  std::string Describe() const;
  const CommitInfo* info() const;
  /// By its own word; a commit that does not say so counts as one that has read.
  bool is_blind_append() const;
};

/// Both sides of a comparison.
struct ConflictCase {
  const PendingCommit& pending;
  IsolationLevel isolation;
  /// The state that the pending commit has seen up to now.
  const TableTip& tip;
  const WinningCommit& winner;
  /// What the pending commit was made from; null while the table is being created.
  const Snapshot* base;
};

/// Whether one of the scans has read the file, or would have.
bool IsRead(const ReadSet& reads, const AddFile& file);

/// Success, or kConflictFinal with the reason.
using ConflictCheck = Status (*)(const ConflictCase& conflict);

Status CheckProtocolChanged(const ConflictCase& conflict);
Status CheckMetadataChanged(const ConflictCase& conflict);
Status CheckDomainMetadata(const ConflictCase& conflict);
Status CheckApplicationTransaction(const ConflictCase& conflict);
Status CheckConcurrentAppend(const ConflictCase& conflict);
Status CheckConcurrentDeleteRead(const ConflictCase& conflict);
Status CheckConcurrentDeleteDelete(const ConflictCase& conflict);

/// All of them, in the order in which they are asked.
std::span<const ConflictCheck> AllConflictChecks();

/// A kConflictFinal error that names the winner and says what to do.
Error Conflict(std::string_view name, const WinningCommit& winner, std::string_view what);

}  // namespace weir::delta
