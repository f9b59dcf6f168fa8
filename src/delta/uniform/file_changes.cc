// SPDX-License-Identifier: Apache-2.0
#include "delta/uniform/file_changes.h"

#include "delta/actions/file_path.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {
namespace {

Status Apply(const TableLog& log, const Action& action, FileChanges& changes) {
  if (const auto* add = std::get_if<AddFile>(&action)) {
    WEIR_ASSIGN_OR_RETURN(std::string path, ResolveFilePath(log.root, add->path));
    changes.has_data_change |= add->data_change;
    // A file that is added once more, e.g. with other tags, takes the place of the former one.
    if (!add->data_change) changes.removed.insert(path);
    changes.added.insert_or_assign(std::move(path), *add);
  } else if (const auto* remove = std::get_if<RemoveFile>(&action)) {
    WEIR_ASSIGN_OR_RETURN(std::string path, ResolveFilePath(log.root, remove->path));
    changes.has_data_change |= remove->data_change;
    changes.added.erase(path);
    changes.removed.insert(std::move(path));
  }
  return {};
}

}  // namespace

Result<FileChanges> ReadFileChanges(const TableLog& log, int64_t first, int64_t last) {
  FileChanges changes;
  for (int64_t version = first; version <= last; ++version) {
    WEIR_ASSIGN_OR_RETURN(const auto actions, ReadCommit(log, version));
    // Within a commit the order means nothing: a file may be removed and added anew.
    for (const Action& action : actions) {
      if (std::holds_alternative<RemoveFile>(action))
        WEIR_RETURN_IF_ERROR(Apply(log, action, changes));
    }
    for (const Action& action : actions) {
      if (std::holds_alternative<AddFile>(action))
        WEIR_RETURN_IF_ERROR(Apply(log, action, changes));
    }
  }
  return changes;
}

}  // namespace weir::delta
