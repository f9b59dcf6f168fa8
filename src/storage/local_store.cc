// SPDX-License-Identifier: Apache-2.0
#include "storage/local_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "storage/errors.h"
#include "storage/local_file.h"
#include "storage/unfinished_files.h"

namespace weir::storage {
namespace {

std::string ParentOf(const std::string& path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// A zero byte would cut the path short for the system, and another file would be meant.
Status CheckPath(const std::string& path) {
  if (path.find('\0') == std::string::npos) return {};
  return Fail(
      InvalidArgument("WEIR_INVALID_PATH",
                      "a path with a zero byte: '" + path.substr(0, path.find('\0')) + "\\0...'"));
}

Error ReadError(const std::string& path, int error) {
  if (error == ENOENT || error == ENOTDIR || error == EISDIR) return ObjectNotFound(path);
  return StoreFailed("read", path, ErrnoText(error));
}

/// Makes `directory` and what is missing above it, each flushed into its parent.
Status MakeDirectories(const std::string& directory) {
  struct stat status;
  if (::stat(directory.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return {};
    return Fail(StoreFailed("make the folder", directory, ErrnoText(ENOTDIR)));
  }
  if (errno != ENOENT) return Fail(StoreFailed("make the folder", directory, ErrnoText(errno)));
  std::string parent = ParentOf(directory);
  WEIR_RETURN_IF_ERROR(MakeDirectories(parent));
  if (::mkdir(directory.c_str(), 0777) != 0 && errno != EEXIST) {
    return Fail(StoreFailed("make the folder", directory, ErrnoText(errno)));
  }
  return SyncDirectory(parent);
}

/// A file that is whole and on the disk but has no name of its own yet. Removed on destruction.
class TemporaryFile {
 public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (fd_.valid()) ::unlink(path_.c_str());
  }

  /// Writes `data` beside `target`. Errors speak of the target, which is what callers know.
  Status Write(const std::string& target, std::string_view data) {
    WEIR_RETURN_IF_ERROR(CheckPath(target));
    std::string directory = ParentOf(target);
    path_ = JoinPath(directory, UnfinishedName());
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    fd_ = FileDescriptor(OpenRetrying(path_, kFlags, 0666));
    if (!fd_.valid() && errno == ENOENT) {
      WEIR_RETURN_IF_ERROR(MakeDirectories(directory));
      fd_ = FileDescriptor(OpenRetrying(path_, kFlags, 0666));
    }
    if (!fd_.valid()) return Fail(StoreFailed("write", target, ErrnoText(errno)));
    int error = WriteFully(fd_.get(), data);
    if (error == 0 && ::fsync(fd_.get()) != 0) error = errno;
    if (error != 0) return Fail(StoreFailed("write", target, ErrnoText(error)));
    return {};
  }

  const std::string& path() const { return path_; }

  /// Whether a second name was linked, whatever the call that linked it has replied.
  bool IsLinked() const {
    struct stat status;
    return ::fstat(fd_.get(), &status) == 0 && status.st_nlink > 1;
  }

 private:
  std::string path_;
  FileDescriptor fd_;
};

void RemoveHadoopChecksum(const std::string& path) {
  std::string companion = JoinPath(ParentOf(path), "." + std::string(BaseName(path)) + ".crc");
  ::unlink(companion.c_str());
}

Status SyncParentOf(const std::string& path) {
  auto synced = SyncDirectory(ParentOf(path));
  if (!synced) return Fail(WriteStateUnknown(path, synced.error().message));
  return {};
}

class DirectoryStream {
 public:
  explicit DirectoryStream(const std::string& path) : stream_(::opendir(path.c_str())) {}
  DirectoryStream(const DirectoryStream&) = delete;
  DirectoryStream& operator=(const DirectoryStream&) = delete;
  ~DirectoryStream() {
    if (stream_ != nullptr) ::closedir(stream_);
  }
  DIR* get() const { return stream_; }

 private:
  DIR* stream_;
};

/// Calls `visit(name, status)` for the entries of `directory` in no order; those that vanish
/// meanwhile are skipped. An absent folder has no entries.
template <typename Visit>
Status VisitEntries(const std::string& directory, bool follow_links, std::string_view start_after,
                    Visit visit) {
  DirectoryStream stream(directory);
  if (stream.get() == nullptr) {
    if (errno == ENOENT || errno == ENOTDIR) return {};
    return Fail(StoreFailed("list", directory, ErrnoText(errno)));
  }
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) {
      if (errno != 0) return Fail(StoreFailed("list", directory, ErrnoText(errno)));
      return {};
    }
    std::string_view name = entry->d_name;
    if (name == "." || name == ".." || IsUnfinished(name)) continue;
    if (!start_after.empty() && name <= start_after) continue;
    struct stat status;
    int flags = follow_links ? 0 : AT_SYMLINK_NOFOLLOW;
    if (::fstatat(::dirfd(stream.get()), entry->d_name, &status, flags) != 0) {
      if (errno == ENOENT || errno == ELOOP) continue;
      return Fail(StoreFailed("list", JoinPath(directory, name), ErrnoText(errno)));
    }
    WEIR_RETURN_IF_ERROR(visit(name, status));
  }
}

void SortByPath(std::vector<ObjectInfo>& objects) {
  std::sort(objects.begin(), objects.end(),
            [](const ObjectInfo& a, const ObjectInfo& b) { return a.path < b.path; });
}

Status CollectRecursive(const std::string& directory, std::vector<ObjectInfo>& objects) {
  std::vector<std::string> folders;
  WEIR_RETURN_IF_ERROR(
      VisitEntries(directory, /*follow_links=*/false, {},
                   [&](std::string_view name, const struct stat& status) -> Status {
                     std::string path = JoinPath(directory, name);
                     if (S_ISDIR(status.st_mode)) {
                       folders.push_back(std::move(path));
                     } else if (S_ISREG(status.st_mode)) {
                       objects.push_back(InfoOf(std::move(path), status));
                     }
                     return {};
                   }));
  for (const auto& folder : folders) WEIR_RETURN_IF_ERROR(CollectRecursive(folder, objects));
  return {};
}

}  // namespace

Result<std::string> LocalStore::Get(const std::string& path) {
  WEIR_RETURN_IF_ERROR(CheckPath(path));
  FileDescriptor fd(OpenRetrying(path, O_RDONLY | O_CLOEXEC, 0));
  struct stat status;
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0) return Fail(ReadError(path, errno));
  if (S_ISDIR(status.st_mode)) return Fail(ObjectNotFound(path));
  std::string data;
  int error = ReadToEnd(fd.get(), static_cast<size_t>(status.st_size), data);
  if (error != 0) return Fail(ReadError(path, error));
  return data;
}

Result<std::string> LocalStore::GetRange(const std::string& path, int64_t offset, int64_t length) {
  WEIR_RETURN_IF_ERROR(CheckPath(path));
  if (offset < 0 || length < 0) {
    return Fail(InvalidArgument("WEIR_INVALID_RANGE", "a range of '" + path + "' is negative"));
  }
  FileDescriptor fd(OpenRetrying(path, O_RDONLY | O_CLOEXEC, 0));
  struct stat status;
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0) return Fail(ReadError(path, errno));
  if (S_ISDIR(status.st_mode)) return Fail(ObjectNotFound(path));
  // Before allocating: a length from a corrupt log may be anything.
  if (offset > status.st_size || length > status.st_size - offset) {
    return Fail(RangeNotSatisfiable(path, offset, length, status.st_size));
  }
  std::string data(static_cast<size_t>(length), '\0');
  size_t done = 0;
  int error = ReadAt(fd.get(), offset, data, done);
  if (error != 0) return Fail(ReadError(path, error));
  if (done < data.size()) {
    return Fail(RangeNotSatisfiable(path, offset, length, offset + static_cast<int64_t>(done)));
  }
  return data;
}

Result<ObjectInfo> LocalStore::Head(const std::string& path) {
  WEIR_RETURN_IF_ERROR(CheckPath(path));
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return Fail(ReadError(path, errno));
  if (S_ISDIR(status.st_mode)) return Fail(ObjectNotFound(path));
  return InfoOf(path, status);
}

Result<std::vector<ObjectInfo>> LocalStore::List(const std::string& directory,
                                                 std::string_view start_after) {
  std::vector<ObjectInfo> objects;
  WEIR_RETURN_IF_ERROR(
      VisitEntries(directory, /*follow_links=*/true, start_after,
                   [&](std::string_view name, const struct stat& status) -> Status {
                     if (!S_ISDIR(status.st_mode)) {
                       objects.push_back(InfoOf(JoinPath(directory, name), status));
                     }
                     return {};
                   }));
  SortByPath(objects);
  return objects;
}

Result<std::vector<ObjectInfo>> LocalStore::ListDirectory(const std::string& directory) {
  std::vector<ObjectInfo> objects;
  WEIR_RETURN_IF_ERROR(
      VisitEntries(directory, /*follow_links=*/true, {},
                   [&](std::string_view name, const struct stat& status) -> Status {
                     objects.push_back(InfoOf(JoinPath(directory, name), status));
                     return {};
                   }));
  SortByPath(objects);
  return objects;
}

Result<std::vector<ObjectInfo>> LocalStore::ListRecursive(const std::string& directory) {
  std::vector<ObjectInfo> objects;
  WEIR_RETURN_IF_ERROR(CollectRecursive(directory, objects));
  SortByPath(objects);
  return objects;
}

Status LocalStore::Put(const std::string& path, std::string_view data) {
  TemporaryFile file;
  WEIR_RETURN_IF_ERROR(file.Write(path, data));
  // Before the new content appears: no checksum is always valid, the old one never again.
  RemoveHadoopChecksum(path);
  if (::rename(file.path().c_str(), path.c_str()) != 0) {
    return Fail(StoreFailed("write", path, ErrnoText(errno)));
  }
  return SyncParentOf(path);
}

Status LocalStore::PutIfAbsent(const std::string& path, std::string_view data) {
  TemporaryFile file;
  WEIR_RETURN_IF_ERROR(file.Write(path, data));
  if (::link(file.path().c_str(), path.c_str()) != 0) {
    int error = errno;
    // A network file system may repeat a call whose reply was lost and then report our own success
    // as EEXIST; the link count tells the truth.
    if (!file.IsLinked()) {
      if (error == EEXIST) return Fail(ObjectAlreadyExists(path));
      if (error == EPERM || error == ENOTSUP || error == ENOSYS) {
        return Fail(
            StoreFailed("write", path,
                        "the file system has no hard links, which an atomic commit needs (" +
                            ErrnoText(error) + ")"));
      }
      return Fail(StoreFailed("write", path, ErrnoText(error)));
    }
  }
  return SyncParentOf(path);
}

Status LocalStore::Delete(const std::string& path) {
  WEIR_RETURN_IF_ERROR(CheckPath(path));
  if (::unlink(path.c_str()) != 0 && errno != ENOENT && errno != ENOTDIR) {
    return Fail(StoreFailed("delete", path, ErrnoText(errno)));
  }
  RemoveHadoopChecksum(path);
  return {};
}

Status LocalStore::DeleteRecursive(const std::string& directory) {
  std::error_code error;
  std::filesystem::remove_all(directory, error);
  if (error && error != std::errc::no_such_file_or_directory) {
    return Fail(StoreFailed("delete", directory, error.message()));
  }
  return {};
}

}  // namespace weir::storage
