// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/parallel.h"
#include "base/text.h"
#include "delta/checksum/version_checksum.h"
#include "delta/snapshot/commit_timestamps.h"
#include "delta/snapshot/log_listing.h"
#include "delta/snapshot/recent_history.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {
namespace {

constexpr size_t kReadThreads = 8;

std::string FormatInstant(int64_t ms) {
  namespace chrono = std::chrono;
  chrono::sys_time<chrono::milliseconds> instant{chrono::milliseconds(ms)};
  auto day = chrono::floor<chrono::days>(instant);
  // The calendar of <chrono> ends at the year 32767.
  if (day.time_since_epoch() > chrono::days(11'000'000) ||
      day.time_since_epoch() < chrono::days(-11'000'000)) {
    return fmt::format("{} ms since 1970", ms);
  }
  chrono::year_month_day date(day);
  chrono::hh_mm_ss time(instant - day);
  return fmt::format("{:04d}-{:02d}-{:02d} {:02d}:{:02d}:{:02d}.{:03d} UTC",
                     static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), time.hours().count(),
                     time.minutes().count(), time.seconds().count(), time.subseconds().count());
}

Error TooLate(const TableLog& log, int64_t wanted, const CommitTimestamp& latest) {
  return NotFound(
      "DELTA_TIMESTAMP_GREATER_THAN_COMMIT",
      fmt::format(
          "{}: {} is after the latest commit (version {} at {}); use a timestamp up to that",
          log.root, FormatInstant(wanted), latest.version, FormatInstant(latest.timestamp_ms)),
      "42816");
}

Error TooEarly(const TableLog& log, int64_t wanted, const CommitTimestamp& earliest) {
  return NotFound(
      "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION",
      fmt::format("{}: {} is before the earliest version that the log still holds (version {} "
                  "at {}); use a timestamp from that on",
                  log.root, FormatInstant(wanted), earliest.version,
                  FormatInstant(earliest.timestamp_ms)),
      "42816");
}

Result<LogListing> ListTable(const TableLog& log, int64_t first_version = 0) {
  WEIR_ASSIGN_OR_RETURN(auto listing, ListLog(log, first_version));
  if (!listing.empty()) return listing;
  return Fail(NotFound("DELTA_TABLE_NOT_FOUND",
                       fmt::format("{} is no Delta table: {} holds no commit and no checkpoint",
                                   log.root, log.log_dir()),
                       "42P01"));
}

struct CommitWithInfo {
  DeltaFile file;
  int64_t file_time_ms = 0;
  std::optional<CommitInfo> info;

  int64_t timestamp_ms() const {
    auto in_commit = info ? info->in_commit_timestamp() : std::nullopt;
    return in_commit.value_or(file_time_ms);
  }
};

Status ReadInfos(const TableLog& log, std::vector<CommitWithInfo>& commits) {
  return TryParallelFor(commits.size(), kReadThreads, [&](size_t i) -> Status {
    WEIR_ASSIGN_OR_RETURN(commits[i].info, ReadCommitInfo(log, commits[i].file.info));
    return {};
  });
}

std::vector<CommitWithInfo> CommitsBetween(const LogListing& listing, int64_t first, int64_t last) {
  auto times = MonotonicTimes(listing.commits);
  std::vector<CommitWithInfo> commits;
  for (size_t i = 0; i < times.size(); ++i) {
    int64_t version = listing.commits[i].version;
    if (version >= first && version <= last) commits.push_back({listing.commits[i], times[i], {}});
  }
  return commits;
}

// The newest metadata: from the latest .crc, else from the snapshot.
Result<Metadata> LatestMetadata(const TableLog& log, const LogListing& listing) {
  if (const DeltaFile* file = listing.FindChecksum(listing.latest_version())) {
    auto text = log.store->Get(file->info.path);
    auto checksum = text ? ParseVersionChecksum(*text) : Fail(text.error());
    if (checksum) return std::move(checksum->metadata);
  }
  WEIR_ASSIGN_OR_RETURN(auto snapshot, Snapshot::Load(log));
  return snapshot->metadata();
}

std::optional<int64_t> NumberProperty(const Metadata& metadata, const std::string& key) {
  auto it = metadata.configuration.find(key);
  if (it == metadata.configuration.end()) return std::nullopt;
  return ParseInt64(it->second);
}

// The last of `commits` (ascending) at or before an instant, by in-commit timestamps; index -1 when
// all are later. Reads a logarithm of them.
Result<int64_t> SearchInCommitTimestamps(const TableLog& log, const std::vector<DeltaFile>& commits,
                                         int64_t wanted, CommitTimestamp& boundary) {
  auto timestamp = [&](size_t i) -> Result<int64_t> {
    WEIR_ASSIGN_OR_RETURN(auto info, ReadCommitInfo(log, commits[i].info));
    auto in_commit = info ? info->in_commit_timestamp() : std::nullopt;
    if (in_commit) return *in_commit;
    return Fail(CorruptLog("DELTA_MISSING_COMMIT_TIMESTAMP",
                           commits[i].info.path +
                               ": found no inCommitTimestamp in its commitInfo, the "
                               "table's properties demand one",
                           "KD004"));
  };
  WEIR_ASSIGN_OR_RETURN(int64_t last, timestamp(commits.size() - 1));
  boundary = {commits.back().version, last};
  int64_t low = -1;  // commits[low] is at or before, commits[high] is after
  auto high = static_cast<int64_t>(commits.size());
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    WEIR_ASSIGN_OR_RETURN(int64_t time, timestamp(static_cast<size_t>(middle)));
    if (time <= wanted) {
      low = middle;
    } else {
      high = middle;
    }
    if (middle == 0 && low < 0) boundary = {commits.front().version, time};
  }
  return low;
}

Result<int64_t> ResolveByFileTimes(const TableLog& log, const std::vector<DeltaFile>& commits,
                                   int64_t wanted, bool may_be_last) {
  auto times = MonotonicTimes(commits);
  auto after = std::upper_bound(times.begin(), times.end(), wanted);
  if (after == times.begin()) {
    return Fail(TooEarly(log, wanted, {commits.front().version, times.front()}));
  }
  if (after == times.end() && times.back() < wanted && !may_be_last) {
    return Fail(TooLate(log, wanted, {commits.back().version, times.back()}));
  }
  return commits[static_cast<size_t>(after - times.begin()) - 1].version;
}

// Only versions that can be built count. The commits below them keep their part in making times
// ascend.
std::vector<DeltaFile> BuildableCommits(const LogListing& listing) {
  std::vector<DeltaFile> commits;
  auto earliest = EarliestVersion(listing);
  auto times = MonotonicTimes(listing.commits);
  for (size_t i = 0; i < times.size(); ++i) {
    if (!earliest || listing.commits[i].version < *earliest) continue;
    commits.push_back(listing.commits[i]);
    commits.back().info.modified_ms = times[i];
  }
  return commits;
}

Error NothingBuildable(const TableLog& log) {
  return CorruptLog(
      "DELTA_NO_RECREATABLE_HISTORY_FOUND",
      fmt::format("{}: found no commit that a version can be built from", log.log_dir()), "KD006");
}

}  // namespace

namespace {

Result<std::vector<CommitSummary>> ReadNewest(const TableLog& log, const LogListing& listing,
                                              int64_t limit) {
  auto commits = CommitsBetween(listing, 0, INT64_MAX);
  std::reverse(commits.begin(), commits.end());
  if (limit > 0 && commits.size() > static_cast<size_t>(limit)) {
    commits.resize(static_cast<size_t>(limit));
  }
  WEIR_RETURN_IF_ERROR(ReadInfos(log, commits));
  std::vector<CommitSummary> history;
  for (auto& commit : commits) {
    CommitSummary& summary = history.emplace_back();
    summary.version = commit.file.version;
    summary.timestamp_ms = commit.timestamp_ms();
    if (commit.info) summary.info = std::move(*commit.info);
  }
  return history;
}

}  // namespace

Result<std::vector<CommitSummary>> ReadHistory(const TableLog& log, int64_t limit) {
  WEIR_ASSIGN_OR_RETURN(const auto listing, ListTable(log));
  return ReadNewest(log, listing, limit);
}

Result<std::vector<CommitSummary>> ReadRecentHistory(const TableLog& log, int64_t limit,
                                                     int64_t newest) {
  WEIR_ASSIGN_OR_RETURN(const auto listing,
                        ListTable(log, std::max<int64_t>(newest - limit + 1, 0)));
  return ReadNewest(log, listing, limit);
}

Result<std::vector<CommitTimestamp>> ReadCommitTimestamps(const TableLog& log, int64_t first,
                                                          int64_t last) {
  WEIR_ASSIGN_OR_RETURN(auto listing, ListTable(log));
  auto commits = CommitsBetween(listing, first, last);
  WEIR_RETURN_IF_ERROR(ReadInfos(log, commits));
  std::vector<CommitTimestamp> timestamps;
  for (const auto& commit : commits) {
    timestamps.push_back({commit.file.version, commit.timestamp_ms()});
  }
  return timestamps;
}

Result<std::vector<Action>> ReadCommit(const TableLog& log, int64_t version) {
  std::string path =
      storage::JoinPath(log.log_dir(), CommitFileName(std::max<int64_t>(version, 0)));
  auto text = version < 0 ? Fail(NotFound("", "")) : log.store->Get(path);
  if (text) return ParseActions(path, *text);
  if (text.error().kind != ErrorKind::kNotFound) return Fail(text.error());
  return Fail(NotFound("DELTA_VERSION_NOT_FOUND",
                       fmt::format("{}: the log holds no commit of version {}", log.root, version),
                       "22003"));
}

Result<int64_t> ResolveTimestamp(const TableLog& log, int64_t timestamp_ms) {
  WEIR_ASSIGN_OR_RETURN(auto listing, ListTable(log));
  auto commits = BuildableCommits(listing);
  if (commits.empty()) return Fail(NothingBuildable(log));
  WEIR_ASSIGN_OR_RETURN(auto metadata, LatestMetadata(log, listing));
  if (!HasInCommitTimestamps(metadata))
    return ResolveByFileTimes(log, commits, timestamp_ms, false);

  int64_t enabled_at =
      NumberProperty(metadata, "delta.inCommitTimestampEnablementVersion").value_or(0);
  auto enabled_ms = NumberProperty(metadata, "delta.inCommitTimestampEnablementTimestamp");
  auto split = std::lower_bound(commits.begin(), commits.end(), enabled_at,
                                [](const DeltaFile& c, int64_t v) { return c.version < v; });
  std::vector<DeltaFile> before(commits.begin(), split);
  std::vector<DeltaFile> since(split, commits.end());
  bool search_since = before.empty() || !enabled_ms || timestamp_ms >= *enabled_ms;
  if (!search_since) return ResolveByFileTimes(log, before, timestamp_ms, true);
  if (since.empty()) return Fail(NothingBuildable(log));
  CommitTimestamp boundary;
  WEIR_ASSIGN_OR_RETURN(int64_t found,
                        SearchInCommitTimestamps(log, since, timestamp_ms, boundary));
  if (found < 0) return Fail(TooEarly(log, timestamp_ms, boundary));
  auto last = static_cast<int64_t>(since.size()) - 1;
  if (found == last && timestamp_ms > boundary.timestamp_ms) {
    return Fail(TooLate(log, timestamp_ms, boundary));
  }
  return since[static_cast<size_t>(found)].version;
}

}  // namespace weir::delta
