// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <utility>

#include "base/result.h"

namespace weir::pipeline {

/// Holds a pipeline against other runs while it lives: an advisory lock on <storage>/run.lock,
/// which the system lets go when the process ends, however it ends. The file tells who holds it.
class RunLock {
 public:
  /// Makes the storage folder when needed. Errors: kConflictRetryable WEIR_PIPELINE_ALREADY_RUNNING
  /// naming process, host and start; kIo.
  static Result<RunLock> Acquire(const std::filesystem::path& storage);

  RunLock(RunLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  RunLock& operator=(RunLock&& other) noexcept;
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;
  ~RunLock();

 private:
  explicit RunLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace weir::pipeline
