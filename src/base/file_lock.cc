// SPDX-License-Identifier: Apache-2.0
#include "base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace weir {
namespace {

std::string ThisProcess() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return "process " + std::to_string(::getpid()) + " on " + host.data();
}

Error Failure(const std::filesystem::path& file) {
  return IoError("WEIR_IO_ERROR", file.string() + ": " + std::strerror(errno));
}

}  // namespace

Result<std::optional<FileLock>> FileLock::TryAcquire(const std::filesystem::path& file,
                                                     std::string& holder) {
  std::error_code failure;
  std::filesystem::create_directories(file.parent_path(), failure);
  if (failure) return Fail(IoError("WEIR_IO_ERROR", file.string() + ": " + failure.message()));
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return Fail(Failure(file));
  FileLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return Fail(Failure(file));
    std::array<char, 512> text{};
    const ssize_t length = ::pread(descriptor, text.data(), text.size() - 1, 0);
    holder = length > 0 ? text.data() : "another process";
    return std::optional<FileLock>();
  }
  const std::string own = ThisProcess();
  if (::ftruncate(descriptor, 0) != 0 || ::pwrite(descriptor, own.data(), own.size(), 0) < 0)
    return Fail(Failure(file));
  return std::optional<FileLock>(std::move(lock));
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace weir
