// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/carry_row_ids.h"

#include <string_view>
#include <unordered_map>

namespace weir::delta {
namespace {

// The files of the commit that lack a value, by path: at most one remove and one add each.
using Lacking = std::unordered_multimap<std::string_view, Action*>;

Lacking FindLacking(std::vector<Action>& actions) {
  Lacking lacking;
  for (auto& action : actions) {
    auto collect = [&](auto* file) {
      if (file && !(file->base_row_id && file->default_row_commit_version)) {
        lacking.emplace(file->path, &action);
      }
    };
    collect(std::get_if<AddFile>(&action));
    collect(std::get_if<RemoveFile>(&action));
  }
  return lacking;
}

}  // namespace

void CarryRowIds(std::vector<Action>& actions, const FileList& live) {
  Lacking lacking = FindLacking(actions);
  if (lacking.empty()) return;
  for (size_t i = 0; i < live.size(); ++i) {
    auto [begin, end] = lacking.equal_range(live.path(i));
    for (auto it = begin; it != end; ++it) {
      auto carry = [&](auto* file) {
        if (!file) return;
        if (!file->base_row_id) file->base_row_id = live.base_row_id(i);
        if (!file->default_row_commit_version) {
          file->default_row_commit_version = live.default_row_commit_version(i);
        }
      };
      carry(std::get_if<AddFile>(it->second));
      carry(std::get_if<RemoveFile>(it->second));
    }
  }
}

}  // namespace weir::delta
