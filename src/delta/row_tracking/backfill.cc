// SPDX-License-Identifier: Apache-2.0
#include "delta/row_tracking/backfill.h"

#include <string>
#include <unordered_set>
#include <utility>

namespace weir::delta {

Result<std::vector<Action>> FilesWithoutRowIds(const std::vector<Action>& pending,
                                               const FileList& live) {
  std::unordered_set<std::string> touched;
  for (const Action& action : pending) {
    if (const auto* add = std::get_if<AddFile>(&action)) touched.insert(add->path);
    if (const auto* remove = std::get_if<RemoveFile>(&action)) touched.insert(remove->path);
  }
  WEIR_RETURN_IF_ERROR(live.LoadStats());
  std::vector<Action> files;
  for (size_t i = 0; i < live.size(); ++i) {
    if (live.base_row_id(i) && live.default_row_commit_version(i)) continue;
    if (touched.contains(std::string(live.path(i)))) continue;
    AddFile add = live.Get(i);
    add.data_change = false;
    files.emplace_back(std::move(add));
  }
  return files;
}

}  // namespace weir::delta
