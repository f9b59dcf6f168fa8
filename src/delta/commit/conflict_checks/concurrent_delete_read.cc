// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/conflict_checks/conflict.h"

namespace weir::delta {

/// Rows that we have read are gone or have moved.
Status CheckConcurrentDeleteRead(const ConflictCase& conflict) {
  std::set<std::string> read;
  for (const auto& path : conflict.pending.reads.files) read.insert(CanonicalPath(path));
  for (const auto& action : conflict.winner.actions) {
    const auto* remove = std::get_if<RemoveFile>(&action);
    if (!remove) continue;
    if (conflict.pending.reads.whole_table || read.contains(CanonicalPath(remove->path))) {
      return Fail(Conflict("DELTA_CONCURRENT_DELETE_READ", conflict.winner,
                           "removed the file '" + remove->path + "', which this one has read"));
    }
  }
  return {};
}

}  // namespace weir::delta
