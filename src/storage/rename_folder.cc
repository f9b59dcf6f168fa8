// SPDX-License-Identifier: Apache-2.0
#include "storage/rename_folder.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "storage/errors.h"
#include "storage/local_file.h"
#include "storage/location.h"
#include "storage/object_store.h"

namespace weir::storage {

bool CanRenameFolders(const std::string& location) {
  return SchemeOf(NormalizeLocation(location)).empty();
}

Status RenameFolder(const std::string& from, const std::string& to) {
  // rename(2) puts a folder in the place of an empty one, and of nothing else.
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    const int error = errno;
    if (error == ENOENT) return Fail(ObjectNotFound(from));
    if (error == EEXIST || error == ENOTEMPTY || error == ENOTDIR)
      return Fail(ObjectAlreadyExists(to));
    return Fail(StoreFailed("rename to " + to, from, ErrnoText(error)));
  }
  for (const std::string& path : {from, to}) {
    auto synced = SyncDirectory(std::filesystem::path(path).parent_path().string());
    if (!synced) return Fail(WriteStateUnknown(to, synced.error().message));
  }
  return {};
}

}  // namespace weir::storage
