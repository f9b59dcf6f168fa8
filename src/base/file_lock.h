// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"

namespace weir {

/// An advisory lock between processes, held while it lives. The system lets it go when the process
/// ends, however it ends; the file stays and tells who held it last.
class FileLock {
 public:
  /// Makes the folder when needed. nullopt when another process holds the lock: `holder` then says
  /// which ("process 12 on host"). Errors: kIo WEIR_IO_ERROR.
  static Result<std::optional<FileLock>> TryAcquire(const std::filesystem::path& file,
                                                    std::string& holder);

  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace weir
