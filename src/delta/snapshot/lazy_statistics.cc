// SPDX-License-Identifier: Apache-2.0
#include "delta/snapshot/lazy_statistics.h"

#include <fmt/format.h>

#include <utility>

namespace weir::delta {

LazyStatistics::LazyStatistics(size_t row_count, Reader reader)
    : row_count_(row_count), reader_(std::move(reader)) {}

Result<std::shared_ptr<const StatisticsTexts>> LazyStatistics::Load() const {
  std::lock_guard lock(mutex_);
  if (loaded_) return loaded_;
  WEIR_ASSIGN_OR_RETURN(loaded_, Read(std::nullopt));
  ready_.store(loaded_.get(), std::memory_order_release);
  return loaded_;
}

const StatisticsTexts* LazyStatistics::LoadOrNull() const {
  if (const auto* ready = ready_.load(std::memory_order_acquire)) return ready;
  if (failed_.load(std::memory_order_relaxed)) return nullptr;
  auto texts = Load();
  if (!texts) failed_.store(true, std::memory_order_relaxed);
  return texts ? texts->get() : nullptr;
}

Result<std::shared_ptr<const StatisticsTexts>> LazyStatistics::ReadColumns(
    const std::vector<std::string>& columns) const {
  if (ready_.load(std::memory_order_acquire) != nullptr) return Load();
  return Read(columns);
}

Result<std::shared_ptr<const StatisticsTexts>> LazyStatistics::Read(
    const std::optional<std::vector<std::string>>& columns) const {
  auto texts = std::make_shared<StatisticsTexts>();
  texts->texts.reserve(row_count_);
  auto receive = [&](size_t row, std::string_view json) -> Status {
    if (row != texts->texts.size() || row >= row_count_) {
      return Fail(
          CorruptLog("DELTA_CHECKPOINT_UNREADABLE",
                     fmt::format("statistics for {} files were expected, found those of file {}",
                                 row_count_, row)));
    }
    texts->texts.push_back(texts->arena.Add(json));
    return {};
  };
  WEIR_RETURN_IF_ERROR(reader_(columns, receive));
  if (texts->texts.size() != row_count_) {
    return Fail(
        CorruptLog("DELTA_CHECKPOINT_UNREADABLE",
                   fmt::format("statistics for {} files were expected, found {}: the checkpoint "
                               "was replaced since it was read; load the table again",
                               row_count_, texts->texts.size())));
  }
  return texts;
}

}  // namespace weir::delta
