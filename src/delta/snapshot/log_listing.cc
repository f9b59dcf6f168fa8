// SPDX-License-Identifier: Apache-2.0
#include "delta/snapshot/log_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <utility>

#include "base/parallel.h"
#include "delta/checkpoint/last_checkpoint.h"
#include "storage/errors.h"
#include "storage/list_cost.h"

namespace weir::delta {
namespace {

constexpr size_t kMaxNamedGaps = 5;
// More commits than these are found sooner by a listing.
constexpr size_t kMaxAsked = 200;
// How many commits are asked for at once where none are listed.
constexpr size_t kFirstBatch = 8;
constexpr size_t kLongestBatch = 32;
// No log is cleaned up of commits of this age.
constexpr std::chrono::milliseconds kYoung = std::chrono::hours(1);

const DeltaFile* FindVersion(const std::vector<DeltaFile>& files, int64_t version) {
  auto it = std::lower_bound(files.begin(), files.end(), version,
                             [](const DeltaFile& file, int64_t v) { return file.version < v; });
  return it != files.end() && it->version == version ? &*it : nullptr;
}

using Parts = std::map<std::pair<int64_t, int64_t>, std::vector<storage::ObjectInfo>>;

// Keeps the multi-part checkpoints of which every part is there. Parts arrive in name order, so in
// order of their numbers within one total.
void AddCompleteParts(Parts parts, std::vector<CheckpointFiles>& checkpoints) {
  for (auto& [key, files] : parts) {
    if (static_cast<int64_t>(files.size()) != key.second) continue;
    checkpoints.push_back({key.first, false, std::move(files)});
  }
}

int Preference(const CheckpointFiles& checkpoint) {
  if (checkpoint.files.size() > 1) return 0;
  auto name = ParseLogFileName(storage::BaseName(checkpoint.files.front().path));
  return name && name->kind == LogFileKind::kClassicCheckpoint ? 2 : 1;
}

struct VersionRange {
  int64_t first = 0;
  int64_t last = 0;
};

Error NotContiguous(const TableLog& log, const std::vector<VersionRange>& missing, int64_t first,
                    int64_t last) {
  std::string names;
  for (size_t i = 0; i < missing.size() && i < kMaxNamedGaps; ++i) {
    const auto& gap = missing[i];
    names += i == 0 ? "" : ", ";
    names += gap.first == gap.last ? fmt::format("{}", gap.first)
                                   : fmt::format("{} to {}", gap.first, gap.last);
  }
  if (missing.size() > kMaxNamedGaps)
    names += fmt::format(" and {} more gaps", missing.size() - kMaxNamedGaps);
  if (first == 0 && missing.front().first == 0) {
    return CorruptLog(
        "DELTA_TRUNCATED_TRANSACTION_LOG",
        fmt::format(
            "{}: version {} cannot be built: no usable checkpoint is at or below it, and "
            "commits {} are missing from its start. Restore them, or a checkpoint, from a backup",
            log.log_dir(), last, names),
        "42K03");
  }
  return CorruptLog(
      "DELTA_VERSIONS_NOT_CONTIGUOUS",
      fmt::format(
          "{}: versions {} to {} are needed, but commits {} are missing. Restore them from a "
          "backup, or read a version below the gap",
          log.log_dir(), first, last, names),
      "KD00C");
}

}  // namespace

int64_t CheckpointFiles::total_bytes() const {
  int64_t sum = 0;
  for (const auto& file : files) sum += file.size;
  return sum;
}

int64_t LogListing::latest_version() const {
  int64_t latest = commits.empty() ? -1 : commits.back().version;
  return checkpoints.empty() ? latest : std::max(latest, checkpoints.back().version);
}

const DeltaFile* LogListing::FindCommit(int64_t version) const {
  return FindVersion(commits, version);
}

const DeltaFile* LogListing::FindChecksum(int64_t version) const {
  return FindVersion(checksums, version);
}

namespace {

std::string PartFileName(int64_t version, int64_t part, int64_t parts) {
  return fmt::format("{}.checkpoint.{:010}.{:010}.parquet", VersionPrefix(version), part, parts);
}

// The files of the checkpoint that the hint tells of, or none where they are not all there.
Result<std::vector<storage::ObjectInfo>> FindHinted(const TableLog& log,
                                                    const LastCheckpoint& hint) {
  std::vector<storage::ObjectInfo> files;
  for (int64_t part = 1; part <= hint.parts.value_or(1); ++part) {
    const std::string name = hint.parts ? PartFileName(hint.version, part, *hint.parts)
                                        : ClassicCheckpointFileName(hint.version);
    auto info = log.store->Head(storage::JoinPath(log.log_dir(), name));
    if (!info && info.error().kind == ErrorKind::kNotFound)
      return std::vector<storage::ObjectInfo>();
    if (!info) return Fail(info.error());
    files.push_back(std::move(*info));
  }
  return files;
}

// The commits from `version` on, up to the first that is not there.
Result<std::vector<storage::ObjectInfo>> FindCommits(const TableLog& log, int64_t version) {
  std::vector<storage::ObjectInfo> files;
  for (size_t batch = kFirstBatch;; batch = std::min(kLongestBatch, batch * 2)) {
    std::vector<Result<storage::ObjectInfo>> answers(batch);
    ParallelFor(batch, kLongestBatch, [&](size_t i) {
      const int64_t wanted = version + static_cast<int64_t>(i);
      answers[i] = log.store->Head(storage::JoinPath(log.log_dir(), CommitFileName(wanted)));
    });
    for (auto& answer : answers) {
      if (!answer && answer.error().kind == ErrorKind::kNotFound) return files;
      if (!answer) return Fail(answer.error());
      files.push_back(std::move(*answer));
    }
    version += static_cast<int64_t>(batch);
  }
}

// In place of a listing, where the store has none: by the hint and the names that commits have.
// Compactions and checksums, which only save work, are not looked for.
Result<std::vector<storage::ObjectInfo>> ProbeLog(const TableLog& log, int64_t first_version) {
  std::vector<storage::ObjectInfo> objects;
  const auto hint = ReadLastCheckpoint(log);
  if (hint && hint->version >= first_version) {
    WEIR_ASSIGN_OR_RETURN(objects, FindHinted(log, *hint));
  }
  WEIR_ASSIGN_OR_RETURN(auto commits, FindCommits(log, first_version));
  // The oldest commits may have been cleaned up.
  if (commits.empty() && !objects.empty()) {
    WEIR_ASSIGN_OR_RETURN(commits, FindCommits(log, hint->version));
    if (commits.empty()) {
      WEIR_ASSIGN_OR_RETURN(commits, FindCommits(log, hint->version + 1));
    }
  }
  std::move(commits.begin(), commits.end(), std::back_inserter(objects));
  return objects;
}

}  // namespace

Result<LogListing> ListLog(const TableLog& log, int64_t first_version) {
  // "{version}" without an extension sorts right before every file of that version.
  std::string start = first_version > 0 ? VersionPrefix(first_version) : std::string();
  auto objects = log.store->List(log.log_dir(), start);
  if (!objects && objects.error().name == storage::kListingUnsupported)
    objects = ProbeLog(log, first_version);
  if (!objects) return Fail(objects.error());
  LogListing listing;
  Parts parts;
  for (auto& object : *objects) {
    auto name = ParseLogFileName(storage::BaseName(object.path));
    if (!name || object.is_directory) continue;
    DeltaFile file{name->version, name->end_version, std::move(object)};
    switch (name->kind) {
      case LogFileKind::kCommit:
        listing.commits.push_back(std::move(file));
        break;
      case LogFileKind::kCompaction:
        listing.compactions.push_back(std::move(file));
        break;
      case LogFileKind::kChecksum:
        listing.checksums.push_back(std::move(file));
        break;
      case LogFileKind::kMultiPartCheckpoint:
        parts[{name->version, name->parts}].push_back(std::move(file.info));
        break;
      case LogFileKind::kClassicCheckpoint:
      case LogFileKind::kUuidCheckpoint:
        listing.checkpoints.push_back({name->version, name->json, {std::move(file.info)}});
        break;
    }
  }
  AddCompleteParts(std::move(parts), listing.checkpoints);
  std::stable_sort(listing.checkpoints.begin(), listing.checkpoints.end(),
                   [](const CheckpointFiles& a, const CheckpointFiles& b) {
                     if (a.version != b.version) return a.version < b.version;
                     return Preference(a) < Preference(b);
                   });
  return listing;
}

Result<LogListing> ListCommitsFrom(const TableLog& log, int64_t first) {
  if (storage::ListsFromTheMiddle(*log.store)) return ListLog(log, first);
  const auto find = [&](int64_t version) {
    return log.store->Head(storage::JoinPath(log.log_dir(), CommitFileName(version)));
  };
  LogListing listing;
  for (int64_t version = first + 1; listing.commits.size() < kMaxAsked; ++version) {
    auto info = find(version);
    if (!info && info.error().kind != ErrorKind::kNotFound) return Fail(info.error());
    if (!info) break;
    listing.commits.push_back({version, version, std::move(*info)});
  }
  // The first one is asked for last: old commits are cleaned up from the oldest on, so that while
  // it is there a later one that is not found has never been. Clean-up by another order needs time.
  auto info = find(first);
  const bool is_sure = info && listing.commits.size() < kMaxAsked &&
                       log.clock->NowMillis() - info->modified_ms < kYoung.count();
  if (!is_sure) return ListLog(log, first);
  listing.commits.insert(listing.commits.begin(), {first, first, std::move(*info)});
  return listing;
}

std::optional<int64_t> EarliestVersion(const LogListing& listing) {
  if (!listing.commits.empty() && listing.commits.front().version == 0) return 0;
  if (listing.checkpoints.empty()) return std::nullopt;
  return listing.checkpoints.front().version;
}

Status CheckVersion(const TableLog& log, const LogListing& listing, int64_t version) {
  auto earliest = EarliestVersion(listing);
  if (!earliest || (version >= *earliest && version <= listing.latest_version())) return {};
  return Fail(NotFound("DELTA_VERSION_NOT_FOUND",
                       fmt::format("{}: there is no version {}; the log holds versions {} to {}",
                                   log.root, version, *earliest, listing.latest_version()),
                       "22003"));
}

Result<std::vector<DeltaFile>> CoverVersions(const TableLog& log, const LogListing& listing,
                                             int64_t first, int64_t last, bool use_compactions) {
  std::vector<DeltaFile> cover;
  std::vector<VersionRange> missing;
  for (int64_t version = first; version <= last;) {
    const DeltaFile* next = listing.FindCommit(version);
    for (const auto& compaction : listing.compactions) {
      if (!use_compactions || compaction.version != version || compaction.end_version > last)
        continue;
      if (next == nullptr || compaction.end_version > next->end_version) next = &compaction;
    }
    if (next != nullptr) {
      cover.push_back(*next);
      version = next->end_version + 1;
      continue;
    }
    auto later =
        std::upper_bound(listing.commits.begin(), listing.commits.end(), version,
                         [](int64_t v, const DeltaFile& file) { return v < file.version; });
    int64_t resume = later == listing.commits.end() ? last + 1 : std::min(later->version, last + 1);
    missing.push_back({version, resume - 1});
    version = resume;
  }
  if (!missing.empty()) return Fail(NotContiguous(log, missing, first, last));
  return cover;
}

}  // namespace weir::delta
