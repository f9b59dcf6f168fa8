// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/conflict_checks/conflict.h"

namespace weir::delta {

/// Both remove (or give a new deletion vector to) the same file.
Status CheckConcurrentDeleteDelete(const ConflictCase& conflict) {
  std::set<std::string> ours;
  for (const auto& action : conflict.pending.actions) {
    if (const auto* remove = std::get_if<RemoveFile>(&action)) {
      ours.insert(CanonicalPath(remove->path));
    }
  }
  for (const auto& action : conflict.winner.actions) {
    const auto* remove = std::get_if<RemoveFile>(&action);
    if (remove && ours.contains(CanonicalPath(remove->path))) {
      return Fail(Conflict("DELTA_CONCURRENT_DELETE_DELETE", conflict.winner,
                           "removed the file '" + remove->path + "', as this one does"));
    }
  }
  return {};
}

}  // namespace weir::delta
