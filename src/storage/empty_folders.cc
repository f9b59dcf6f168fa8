// SPDX-License-Identifier: Apache-2.0
#include "storage/empty_folders.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "storage/object_store.h"

namespace weir::storage {
namespace {

namespace fs = std::filesystem;

void RemoveBelow(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> folders;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->symlink_status(ignored).type() == fs::file_type::directory) folders.push_back(*it);
  }
  for (const auto& below : folders) RemoveBelow(below);
  // rmdir: the kernel refuses a folder with anything in it.
  fs::remove(folder, error);
}

}  // namespace

void RemoveEmptyFolders(const std::string& location) {
  const std::string path = NormalizeLocation(location);
  std::error_code error;
  if (fs::symlink_status(path, error).type() == fs::file_type::directory) RemoveBelow(path);
}

}  // namespace weir::storage
