// SPDX-License-Identifier: Apache-2.0
#include "storage/unfinished_files.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "base/uuid.h"
#include "storage/local_file.h"

namespace weir::storage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".weir-";
constexpr std::string_view kSuffix = ".tmp";

}  // namespace

std::string UnfinishedName() {
  return std::string(kPrefix) + Uuid::Random().ToString() + std::string(kSuffix);
}

bool IsUnfinished(std::string_view name) {
  return StartsWith(name, kPrefix) && EndsWith(name, kSuffix);
}

std::vector<ObjectInfo> FindUnfinishedFiles(const std::string& location) {
  std::vector<ObjectInfo> found;
  std::error_code error;
  fs::recursive_directory_iterator it(location, fs::directory_options::skip_permission_denied,
                                      error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    const std::string path = it->path().string();
    if (!IsUnfinished(BaseName(path))) continue;
    struct stat status;
    if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    found.push_back(InfoOf(path, status));
  }
  return found;
}

}  // namespace weir::storage
