// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sources/file_listing.h"

#include <algorithm>

#include "base/text.h"

namespace weir::pipeline {
namespace {

bool HasWildcard(std::string_view text) {
  return text.find_first_of("*?") != std::string_view::npos;
}

/// '?' is one character but '/', '*' any number of those, '**' any number of characters.
bool Matches(std::string_view pattern, std::string_view path) {
  if (pattern.empty()) return path.empty();
  if (StartsWith(pattern, "**")) {
    std::string_view rest = pattern.substr(2);
    if (StartsWith(rest, "/") && Matches(rest.substr(1), path)) return true;
    for (size_t skip = 0; skip <= path.size(); ++skip) {
      if (Matches(rest, path.substr(skip))) return true;
    }
    return false;
  }
  if (pattern[0] == '*') {
    for (size_t skip = 0;; ++skip) {
      if (Matches(pattern.substr(1), path.substr(skip))) return true;
      if (skip >= path.size() || path[skip] == '/') return false;
    }
  }
  if (path.empty() || (pattern[0] == '?' ? path[0] == '/' : path[0] != pattern[0])) return false;
  return Matches(pattern.substr(1), path.substr(1));
}

/// Whether a part of the path behind `base` begins with '_' or '.'.
bool IsHidden(std::string_view base, std::string_view path) {
  std::string_view rest = path.substr(std::min(base.size(), path.size()));
  while (!rest.empty()) {
    while (StartsWith(rest, "/")) rest.remove_prefix(1);
    if (StartsWith(rest, "_") || StartsWith(rest, ".")) return true;
    const size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return false;
    rest.remove_prefix(slash);
  }
  return false;
}

Error NotThere(const std::string& location) {
  return NotFound("PATH_NOT_FOUND", "there is no file or folder " + location, "42K03");
}

}  // namespace

Result<std::vector<storage::ObjectInfo>> ListDataFiles(const std::string& location) {
  WEIR_ASSIGN_OR_RETURN(const std::shared_ptr<storage::ObjectStore> store,
                        storage::OpenStore(location));
  std::string base = storage::NormalizeLocation(location);
  const std::string pattern = HasWildcard(base) ? base : "";
  if (!pattern.empty()) base = base.substr(0, base.find_last_of('/', base.find_first_of("*?")));

  WEIR_ASSIGN_OR_RETURN(std::vector<storage::ObjectInfo> files, store->ListRecursive(base));
  if (files.empty() && pattern.empty()) {
    const auto single = store->Head(base);
    if (single && !single->is_directory) return std::vector<storage::ObjectInfo>{*single};
    const size_t slash = base.find_last_of('/');
    WEIR_ASSIGN_OR_RETURN(const auto siblings, store->ListDirectory(base.substr(0, slash)));
    const std::string name = base.substr(slash + 1);
    const bool there = std::ranges::any_of(siblings, [&](const storage::ObjectInfo& entry) {
      return entry.is_directory && storage::BaseName(entry.path) == name;
    });
    if (!there) return Fail(NotThere(base));
  }
  std::erase_if(files, [&](const storage::ObjectInfo& file) {
    return IsHidden(base, file.path) || (!pattern.empty() && !Matches(pattern, file.path));
  });
  std::ranges::sort(files, [](const storage::ObjectInfo& a, const storage::ObjectInfo& b) {
    return a.modified_ms != b.modified_ms ? a.modified_ms < b.modified_ms : a.path < b.path;
  });
  return files;
}

}  // namespace weir::pipeline
