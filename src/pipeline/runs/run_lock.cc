// SPDX-License-Identifier: Apache-2.0
#include "pipeline/runs/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/json.h"

namespace weir::pipeline {
namespace {

std::string Holder() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const JsonValue holder = JsonValue::Object(
      {{"pid", JsonValue::Int(::getpid())}, {"host", JsonValue::String(host.data())}});
  return holder.ToString();
}

std::string Describe(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t length = ::pread(descriptor, text.data(), text.size() - 1, 0);
  if (length <= 0) return "another process";
  const auto json = JsonValue::Parse(std::string_view(text.data(), static_cast<size_t>(length)));
  if (!json || json->Find("pid") == nullptr || json->Find("host") == nullptr)
    return "another process";
  return "process " + json->Find("pid")->text() + " on " + json->Find("host")->text();
}

Error Failure(const std::filesystem::path& file) {
  return IoError("WEIR_IO_ERROR", file.string() + ": " + std::strerror(errno));
}

}  // namespace

Result<RunLock> RunLock::Acquire(const std::filesystem::path& storage) {
  std::error_code failure;
  std::filesystem::create_directories(storage, failure);
  if (failure) return Fail(IoError("WEIR_IO_ERROR", storage.string() + ": " + failure.message()));
  const std::filesystem::path file = storage / "run.lock";
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return Fail(Failure(file));
  RunLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return Fail(Failure(file));
    return Fail(ConflictRetryable("WEIR_PIPELINE_ALREADY_RUNNING",
                                  "this pipeline is being run by " + Describe(descriptor) + " (" +
                                      file.string() + "); wait for its end"));
  }
  const std::string holder = Holder();
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, holder.data(), holder.size(), 0) < 0) {
    return Fail(Failure(file));
  }
  return lock;
}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

RunLock::~RunLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace weir::pipeline
