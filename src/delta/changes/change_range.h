// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

/// What a user asks of a change feed: a start, and perhaps an end, each a version or an instant;
/// all inclusive.
struct ChangeBounds {
  std::optional<int64_t> start_version;
  std::optional<int64_t> start_timestamp_ms;
  std::optional<int64_t> end_version;
  std::optional<int64_t> end_timestamp_ms;
  /// Bounds beyond the latest commit give an empty or shorter feed instead of an error.
  bool allow_out_of_range = false;
  /// The start must be within delta.deletedFileRetentionDuration, as Spark demands it: files that
  /// are older may be gone.
  bool enforce_retention = false;
};

/// The versions first..last; nothing when last < first.
struct ChangeRange {
  int64_t first = 0;
  int64_t last = -1;
  bool empty() const { return last < first; }
  bool operator==(const ChangeRange&) const = default;
};

/// Versions that bounds mean for a table whose newest snapshot is `latest`. An instant as start is
/// the first version at or after it, as end the last one at or before it; an end beyond the latest
/// version is that version. Errors, kInvalidArgument: DELTA_NO_START_FOR_CDC_READ,
/// DELTA_MULTIPLE_CDC_BOUNDARY (version and instant for one end),
/// DELTA_CDC_START_VERSION_AFTER_LATEST, DELTA_INVALID_CDC_RANGE (end before start),
/// DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION; kNotFound of
/// ResolveTimestamp.
Result<ChangeRange> ResolveChangeRange(const Snapshot& latest, const ChangeBounds& bounds);

}  // namespace weir::delta
