// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "delta/commit/conflict_checks/conflict.h"

namespace weir::delta {
namespace {

Error WasRead(const WinningCommit& winner, const std::string& path) {
  return Conflict("DELTA_CONCURRENT_DELETE_READ", winner,
                  "removed the file '" + path + "', which this one has read");
}

// A file whose rows are gone and that one of our scans has read, whether it took rows from it or
// not: that a row is there counts as well (a MERGE does not insert it). Rows that were only
// rearranged are still there.
std::optional<std::string> FindReadFile(const ConflictCase& conflict) {
  if (conflict.isolation == IsolationLevel::kSnapshotIsolation || !conflict.base) return {};
  if (conflict.pending.reads.predicates.empty()) return {};
  std::set<std::string> gone;
  for (const auto& action : conflict.winner.actions) {
    const auto* remove = std::get_if<RemoveFile>(&action);
    if (remove && remove->data_change) gone.insert(CanonicalPath(remove->path));
  }
  if (gone.empty()) return {};
  const FileList& files = conflict.base->files();
  for (size_t i = 0; i < files.size(); ++i) {
    if (!gone.contains(CanonicalPath(files.path(i)))) continue;
    const AddFile file = files.Get(i);
    if (IsRead(conflict.pending.reads, file)) return file.path;
  }
  return {};
}

}  // namespace

/// Rows that we have read are gone or have moved.
Status CheckConcurrentDeleteRead(const ConflictCase& conflict) {
  std::set<std::string> read;
  for (const auto& path : conflict.pending.reads.files) read.insert(CanonicalPath(path));
  for (const auto& action : conflict.winner.actions) {
    const auto* remove = std::get_if<RemoveFile>(&action);
    if (!remove) continue;
    if (conflict.pending.reads.whole_table || read.contains(CanonicalPath(remove->path))) {
      return Fail(WasRead(conflict.winner, remove->path));
    }
  }
  if (const auto path = FindReadFile(conflict)) return Fail(WasRead(conflict.winner, *path));
  return {};
}

}  // namespace weir::delta
