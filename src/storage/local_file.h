// SPDX-License-Identifier: Apache-2.0
//
// The few system calls of the local store, with interrupted calls repeated and partial ones
// continued. Functions return 0 or an errno.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "storage/object_store.h"

struct stat;

namespace weir::storage {

/// Owns a file descriptor; -1 is none. Thread-compatible.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// open(2); a descriptor, or -1 with errno set.
int OpenRetrying(const std::string& path, int flags, unsigned mode);

/// Writes all of `data` at the file's position.
int WriteFully(int fd, std::string_view data);

/// Appends everything up to the end of the file; `size_hint` is its expected size.
int ReadToEnd(int fd, size_t size_hint, std::string& data);

/// Fills `data` from `offset`; `done` is how much there was.
int ReadAt(int fd, int64_t offset, std::string& data, size_t& done);

/// Makes the names in a folder durable. Errors: kIo WEIR_IO_ERROR.
Status SyncDirectory(const std::string& directory);

/// What the system says of the file or folder at `path`.
ObjectInfo InfoOf(std::string path, const struct stat& status);

/// The system's words for an errno, e.g. "No space left on device".
std::string ErrnoText(int error);

}  // namespace weir::storage
