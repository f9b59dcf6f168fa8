// SPDX-License-Identifier: Apache-2.0
#include "storage/local_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "storage/errors.h"

namespace weir::storage {

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

int OpenRetrying(const std::string& path, int flags, unsigned mode) {
  int fd;
  do {
    fd = ::open(path.c_str(), flags, mode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

int WriteFully(int fd, std::string_view data) {
  while (!data.empty()) {
    ssize_t written = ::write(fd, data.data(), data.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    data.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

int ReadToEnd(int fd, size_t size_hint, std::string& data) {
  constexpr size_t kLeastRoom = 4096;
  size_t done = data.size();
  // One byte more than expected, so that the end shows without a second round.
  data.resize(done + size_hint + 1);
  while (true) {
    if (done == data.size()) data.resize(data.size() + std::max(data.size(), kLeastRoom));
    ssize_t got = ::read(fd, data.data() + done, data.size() - done);
    if (got < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  data.resize(done);
  return 0;
}

int ReadAt(int fd, int64_t offset, std::string& data, size_t& done) {
  done = 0;
  while (done < data.size()) {
    ssize_t got = ::pread(fd, data.data() + done, data.size() - done,
                          static_cast<off_t>(offset + static_cast<int64_t>(done)));
    if (got < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    if (got == 0) return 0;
    done += static_cast<size_t>(got);
  }
  return 0;
}

Status SyncDirectory(const std::string& directory) {
  FileDescriptor fd(OpenRetrying(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  if (!fd.valid() || ::fsync(fd.get()) != 0) {
    int error = errno;
    // Some network and FUSE file systems cannot flush a folder; they keep names on their own terms.
    if (error != EINVAL && error != ENOTSUP) {
      return Fail(StoreFailed("flush the folder", directory, ErrnoText(error)));
    }
  }
  return {};
}

ObjectInfo InfoOf(std::string path, const struct stat& status) {
  ObjectInfo info;
  info.path = std::move(path);
  info.is_directory = S_ISDIR(status.st_mode);
  info.size = info.is_directory ? 0 : status.st_size;
  info.modified_ms =
      static_cast<int64_t>(status.st_mtim.tv_sec) * 1000 + status.st_mtim.tv_nsec / 1000000;
  return info;
}

std::string ErrnoText(int error) { return std::generic_category().message(error); }

}  // namespace weir::storage
