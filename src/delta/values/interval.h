// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "delta/actions/actions.h"

namespace weir::delta {

/// The milliseconds of an interval as table properties hold it: "interval 1 week 2 days", "30
/// days", units from microseconds (rounded down) to weeks in singular or plural. nullopt for
/// anything else, also for months and years, whose length is not fixed.
std::optional<int64_t> ParseIntervalMillis(std::string_view text);

/// An interval property of a table; `default_ms` when it is unset or unreadable.
int64_t IntervalProperty(const Metadata& metadata, const std::string& key, int64_t default_ms);

inline constexpr int64_t kMillisPerDay = 86'400'000;
/// delta.logRetentionDuration and delta.deletedFileRetentionDuration where a table does not set
/// them.
inline constexpr int64_t kDefaultLogRetentionMs = 30 * kMillisPerDay;
inline constexpr int64_t kDefaultDeletedFileRetentionMs = 7 * kMillisPerDay;

}  // namespace weir::delta
