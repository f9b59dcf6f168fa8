// SPDX-License-Identifier: Apache-2.0
#include "delta/changes/change_range.h"

#include <algorithm>
#include <chrono>

#include "delta/features/property_values.h"
#include "delta/snapshot/log_listing.h"

namespace weir::delta {
namespace {

constexpr std::chrono::milliseconds kDefaultRetention = std::chrono::days(7);

Error BadRange(const char* name, std::string message, const char* sqlstate) {
  return InvalidArgument(name, std::move(message), sqlstate);
}

bool IsNamed(const Error& error, std::string_view name) { return error.name == name; }

Status CheckBounds(const ChangeBounds& bounds) {
  if ((bounds.start_version && bounds.start_timestamp_ms) ||
      (bounds.end_version && bounds.end_timestamp_ms)) {
    return Fail(BadRange("DELTA_MULTIPLE_CDC_BOUNDARY",
                         "one end of the range is given both as a version and as a timestamp; give "
                         "one of them",
                         "42614"));
  }
  if (!bounds.start_version && !bounds.start_timestamp_ms) {
    return Fail(BadRange("DELTA_NO_START_FOR_CDC_READ",
                         "the range of changes has no start; give a version or a timestamp",
                         "42601"));
  }
  return {};
}

// The first version at or after an instant; latest + 1 when there is none and that is allowed.
Result<int64_t> StartOf(const Snapshot& latest, int64_t timestamp_ms, bool allow_out_of_range) {
  const TableLog& log = latest.log();
  const auto before = ResolveTimestamp(log, timestamp_ms - 1);
  if (before && *before < latest.version()) return *before + 1;
  if (!before && IsNamed(before.error(), "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION")) {
    WEIR_ASSIGN_OR_RETURN(LogListing listing, ListLog(log));
    return listing.commits.empty() ? latest.version() : listing.commits.front().version;
  }
  const bool is_late = before || IsNamed(before.error(), "DELTA_TIMESTAMP_GREATER_THAN_COMMIT");
  if (!is_late) return before;
  if (allow_out_of_range) return latest.version() + 1;
  return ResolveTimestamp(log, timestamp_ms);  // For its error.
}

// The last version at or before an instant; -1 when there is none and that is allowed.
Result<int64_t> EndOf(const Snapshot& latest, int64_t timestamp_ms, bool allow_out_of_range) {
  auto version = ResolveTimestamp(latest.log(), timestamp_ms);
  if (version) return std::min(*version, latest.version());
  if (IsNamed(version.error(), "DELTA_TIMESTAMP_GREATER_THAN_COMMIT")) return latest.version();
  bool is_early = IsNamed(version.error(), "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION");
  if (is_early && allow_out_of_range) return -1;
  return version;
}

Status CheckRetention(const Snapshot& latest, const ChangeRange& range) {
  const std::string* text = latest.FindProperty("delta.deletedFileRetentionDuration");
  auto retention = text ? ParseIntervalProperty(*text) : std::nullopt;
  int64_t oldest = latest.log().clock->NowMillis() - retention.value_or(kDefaultRetention).count();
  WEIR_ASSIGN_OR_RETURN(auto times, ReadCommitTimestamps(latest.log(), range.first, range.first));
  if (times.empty() || times.front().timestamp_ms >= oldest) return {};
  return Fail(BadRange("DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION",
                       "version " + std::to_string(range.first) +
                           " is older than delta.deletedFileRetentionDuration, so that its files "
                           "may be gone; start later or raise the property",
                       "0AKDC"));
}

}  // namespace

Result<ChangeRange> ResolveChangeRange(const Snapshot& latest, const ChangeBounds& bounds) {
  WEIR_RETURN_IF_ERROR(CheckBounds(bounds));
  ChangeRange range;
  if (bounds.start_version) {
    range.first = *bounds.start_version;
  } else {
    WEIR_ASSIGN_OR_RETURN(range.first,
                          StartOf(latest, *bounds.start_timestamp_ms, bounds.allow_out_of_range));
  }
  if (range.first < 0) {
    return Fail(BadRange("DELTA_INVALID_CDC_RANGE", "the start version is negative", "22003"));
  }
  range.last = latest.version();
  if (bounds.end_version) {
    range.last = std::min(range.last, *bounds.end_version);
  } else if (bounds.end_timestamp_ms) {
    WEIR_ASSIGN_OR_RETURN(range.last,
                          EndOf(latest, *bounds.end_timestamp_ms, bounds.allow_out_of_range));
  }
  if (range.first > latest.version()) {
    if (bounds.allow_out_of_range || bounds.start_timestamp_ms) return ChangeRange{range.first, -1};
    return Fail(BadRange("DELTA_CDC_START_VERSION_AFTER_LATEST",
                         "the start version " + std::to_string(range.first) +
                             " is after the latest version " + std::to_string(latest.version()),
                         "22003"));
  }
  if (range.empty()) {
    // Two instants between the same two commits have nothing between them; two versions are a
    // mistake.
    if (bounds.start_timestamp_ms && bounds.end_timestamp_ms &&
        *bounds.start_timestamp_ms <= *bounds.end_timestamp_ms) {
      return range;
    }
    if (bounds.allow_out_of_range && range.last < 0) return range;
    return Fail(BadRange("DELTA_INVALID_CDC_RANGE",
                         "the range of changes ends at version " + std::to_string(range.last) +
                             ", before its start at version " + std::to_string(range.first),
                         "22003"));
  }
  if (bounds.enforce_retention) WEIR_RETURN_IF_ERROR(CheckRetention(latest, range));
  return range;
}

}  // namespace weir::delta
