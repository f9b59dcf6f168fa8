// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/file_path.h"

#include <vector>

#include "base/text.h"
#include "storage/object_store.h"

namespace weir::delta {
namespace {

// "s3:", "file:" and the like; a ':' behind a slash belongs to a name.
bool HasScheme(std::string_view path) {
  size_t colon = path.find(':');
  if (colon == std::string_view::npos || colon < 2) return false;
  return path.substr(0, colon).find('/') == std::string_view::npos && colon + 1 < path.size() &&
         path[colon + 1] == '/';
}

// The path without "." and ".."; climbs_out tells that it goes above its own beginning.
std::string Fold(std::string_view path, bool& climbs_out) {
  std::vector<std::string_view> names;
  climbs_out = false;
  while (!path.empty()) {
    size_t slash = path.find('/');
    std::string_view name = path.substr(0, slash);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
    if (name.empty() || name == ".") continue;
    if (name != "..") {
      names.push_back(name);
    } else if (names.empty()) {
      climbs_out = true;
    } else {
      names.pop_back();
    }
  }
  std::string out;
  for (auto name : names) out.append("/").append(name);
  return out;
}

}  // namespace

bool IsAbsoluteInLog(std::string_view path_in_log) {
  const auto path = PercentDecode(path_in_log);
  return path && (StartsWith(*path, "/") || HasScheme(*path));
}

Result<std::string> ResolveFilePath(std::string_view root, std::string_view path_in_log) {
  auto path = PercentDecode(path_in_log);
  if (!path || path->empty() || path->find('\0') != std::string::npos) {
    return Fail(CorruptLog("DELTA_CANNOT_RECONSTRUCT_PATH_FROM_URI",
                           "the log names a file '" + std::string(path_in_log) +
                               "', which is no percent-encoded path"));
  }
  if (path->front() == '/' || HasScheme(*path)) return storage::NormalizeLocation(*path);
  return storage::JoinPath(root, *path);
}

bool IsWithinTable(std::string_view root, std::string_view path) {
  bool root_climbs = false;
  bool path_climbs = false;
  std::string folder = Fold(root, root_climbs) + "/";
  std::string file = Fold(path, path_climbs);
  return !path_climbs && file.size() > folder.size() && StartsWith(file, folder);
}

}  // namespace weir::delta
