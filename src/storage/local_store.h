// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "storage/object_store.h"

namespace weir::storage {

/// The local file system, by absolute paths.
///
/// Every write goes to a temporary file beside its target, is flushed to the disk, and only then
/// gets its name: by rename for Put, by a hard link for PutIfAbsent. A link fails when the name is
/// taken, also between processes and on network file systems, where a rename would silently replace
/// the winner's commit. File systems without hard links are refused by PutIfAbsent (kIo).
///
/// Temporary files (`.weir-*.tmp`) are no objects and are in no listing. A reader sees no folder as
/// an object: Get and Head of one are kNotFound.
///
/// Hadoop keeps a checksum of `name` in `.name.crc` and refuses a file that does not match it: Put
/// and Delete remove that companion of another writer's file.
///
/// kStateUnknown: the name was given but the folder could not be flushed. Without state;
/// thread-safe.
class LocalStore final : public ObjectStore {
 public:
  Result<std::string> Get(const std::string& path) override;
  Result<std::string> GetRange(const std::string& path, int64_t offset, int64_t length) override;
  Result<ObjectInfo> Head(const std::string& path) override;
  /// A symbolic link to a file counts as that file; a dangling one is left out.
  Result<std::vector<ObjectInfo>> List(const std::string& directory,
                                       std::string_view start_after = {}) override;
  Result<std::vector<ObjectInfo>> ListDirectory(const std::string& directory) override;
  /// Symbolic links are neither followed nor returned, so that a clean-up never leaves the folder.
  Result<std::vector<ObjectInfo>> ListRecursive(const std::string& directory) override;
  Status Put(const std::string& path, std::string_view data) override;
  Status PutIfAbsent(const std::string& path, std::string_view data) override;
  Status Delete(const std::string& path) override;
  /// Removes symbolic links themselves, never what they point to.
  Status DeleteRecursive(const std::string& directory) override;
};

}  // namespace weir::storage
