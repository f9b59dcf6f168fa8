// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "delta/commit/conflict_checks/conflict.h"

namespace weir::delta {

bool IsRead(const ReadSet& reads, const AddFile& file) {
  return reads.whole_table || std::any_of(reads.predicates.begin(), reads.predicates.end(),
                                          [&](const auto& predicate) { return predicate(file); });
}

/// Rows have come that we should have read. Files that were only rewritten (dataChange=false) hold
/// old rows; whoever has read those conflicts by the removal of their files.
Status CheckConcurrentAppend(const ConflictCase& conflict) {
  if (conflict.isolation == IsolationLevel::kSnapshotIsolation) return {};
  // As if we had come first: then the other one, who has read nothing, would have written the same.
  bool may_pass_blind_appends = conflict.isolation == IsolationLevel::kWriteSerializable &&
                                !conflict.pending.ChangesMetadata();
  if (may_pass_blind_appends && conflict.winner.is_blind_append()) return {};
  for (const auto& action : conflict.winner.actions) {
    const auto* add = std::get_if<AddFile>(&action);
    if (add && add->data_change && IsRead(conflict.pending.reads, *add)) {
      return Fail(Conflict("DELTA_CONCURRENT_APPEND", conflict.winner,
                           "added the file '" + add->path + "' to what this one has read"));
    }
  }
  return {};
}

}  // namespace weir::delta
