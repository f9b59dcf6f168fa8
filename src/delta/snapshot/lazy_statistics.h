// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/snapshot/file_segment.h"

namespace weir::delta {

/// The statistics of all rows of a segment.
struct StatisticsTexts {
  TextArena arena;
  std::vector<std::string_view> texts;
};

/// Statistics that stay in their checkpoint until they are asked for; once read as a whole they are
/// kept and shared by all snapshots over that checkpoint. Thread-safe.
class LazyStatistics {
 public:
  using Receive = std::function<Status(size_t, std::string_view)>;
  using Reader =
      std::function<Status(const std::optional<std::vector<std::string>>& columns, const Receive&)>;

  /// `reader` reads them as CheckpointIo::ReadStats does, for `row_count` rows.
  LazyStatistics(size_t row_count, Reader reader);

  /// All of them. Errors: those of the reader; the next call tries again.
  Result<std::shared_ptr<const StatisticsTexts>> Load() const;
  /// All of them, or nullptr when they cannot be read; a failure is remembered.
  const StatisticsTexts* LoadOrNull() const;
  /// At least those of some columns. Errors: those of the reader.
  Result<std::shared_ptr<const StatisticsTexts>> ReadColumns(
      const std::vector<std::string>& columns) const;

 private:
  Result<std::shared_ptr<const StatisticsTexts>> Read(
      const std::optional<std::vector<std::string>>& columns) const;

  size_t row_count_;
  Reader reader_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const StatisticsTexts> loaded_;
  mutable std::atomic<const StatisticsTexts*> ready_{nullptr};
  mutable std::atomic<bool> failed_{false};
};

}  // namespace weir::delta
