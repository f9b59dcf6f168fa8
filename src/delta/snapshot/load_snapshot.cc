// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/parallel.h"
#include "delta/checkpoint/last_checkpoint.h"
#include "delta/checksum/version_checksum.h"
#include "delta/snapshot/commit_timestamps.h"
#include "delta/snapshot/snapshot_impl.h"

namespace weir::delta {
namespace {

Error NoTable(const TableLog& log) {
  return NotFound("DELTA_TABLE_NOT_FOUND",
                  fmt::format("{} is no Delta table: {} holds no commit and no checkpoint",
                              log.root, log.log_dir()),
                  "42P01");
}

// Whether an older checkpoint may do what this one could not.
bool MayFallBack(const Error& error) {
  return error.kind == ErrorKind::kCorruptLog || error.kind == ErrorKind::kNotFound;
}

// Builds one version from one listing: from the newest checkpoint that can be read.
class SnapshotLoader {
 public:
  SnapshotLoader(const TableLog& log, const LogListing& listing, int64_t version)
      : log_(log), listing_(listing), version_(version) {}

  Result<SnapshotState> Build() {
    std::optional<Error> first_error;
    for (auto it = listing_.checkpoints.rbegin(); it != listing_.checkpoints.rend(); ++it) {
      if (it->version > version_) continue;
      auto state = BuildFrom(&*it);
      if (state) return state;
      if (!checkpoint_failed_) return state;
      if (!MayFallBack(state.error())) return state;
      warnings_.push_back(fmt::format("checkpoint passed over: {}", state.error().message));
      if (!first_error) first_error = state.error();
    }
    auto state = BuildFrom(nullptr);
    if (state || !first_error) return state;
    return Fail(first_error->WithContext(
        fmt::format("version {} cannot be built, and nothing older makes up for it", version_)));
  }

 private:
  Result<SnapshotState> BuildFrom(const CheckpointFiles* checkpoint) {
    checkpoint_failed_ = false;
    int64_t first = checkpoint ? checkpoint->version + 1 : 0;
    Result<std::vector<LoadedDelta>> deltas;
    Result<CheckpointState> content;
    ParallelFor(checkpoint ? 2 : 1, 2, [&](size_t task) {
      if (task == 0) {
        deltas = CoverAndRead(first);
      } else {
        content = LoadCheckpoint(log_, *checkpoint);
      }
    });
    // What is missing among the commits is missing for every older checkpoint too.
    if (!deltas) return Fail(deltas.error());
    if (!content) {
      checkpoint_failed_ = true;
      return Fail(content.error());
    }
    SnapshotState state;
    state.log = log_;
    if (checkpoint) {
      StartFrom(state, checkpoint->version, std::move(*content));
      state.timestamp_ms = checkpoint->files.front().modified_ms;
    }
    Advance(state, std::move(*deltas));
    SetTimes(state);
    state.warnings = warnings_;
    return state;
  }

  // With compactions where they fit; without, when one is broken.
  Result<std::vector<LoadedDelta>> CoverAndRead(int64_t first) {
    if (!listing_.compactions.empty()) {
      auto cover = CoverVersions(log_, listing_, first, version_, true);
      auto deltas = cover ? ReadDeltas(log_, *cover) : Fail(cover.error());
      if (deltas && AreReconciled(*deltas)) return deltas;
    }
    WEIR_ASSIGN_OR_RETURN(auto cover, CoverVersions(log_, listing_, first, version_, false));
    return ReadDeltas(log_, cover);
  }

  static bool AreReconciled(const std::vector<LoadedDelta>& deltas) {
    return std::all_of(deltas.begin(), deltas.end(), [](const LoadedDelta& delta) {
      return !delta.file.is_compaction() || IsReconciled(delta.content.files);
    });
  }

  void SetTimes(SnapshotState& state) const {
    std::vector<DeltaFile> commits;
    for (const auto& commit : listing_.commits) {
      if (commit.version <= version_) commits.push_back(commit);
    }
    if (commits.empty()) return;
    state.timestamp_ms = MonotonicTimes(commits).back();
    if (commits.back().version == version_) state.commit_file = commits.back().info;
  }

  const TableLog& log_;
  const LogListing& listing_;
  int64_t version_;
  bool checkpoint_failed_ = false;
  std::vector<std::string> warnings_;
};

// A .crc never decides: the log's actions are the truth, and a writer may have noted a wrong sum.
// But whoever relies on the table should hear of it.
void CompareChecksum(const LogListing& listing, SnapshotImpl& snapshot) {
  const DeltaFile* file = listing.FindChecksum(snapshot.version());
  if (file == nullptr) return;
  auto text = snapshot.log().store->Get(file->info.path);
  if (!text) return;
  auto checksum = ParseVersionChecksum(*text);
  if (!checksum) {
    snapshot.AddWarning(file->info.path + ": " + checksum.error().message);
    return;
  }
  for (const auto& difference : CompareWithChecksum(*checksum, snapshot)) {
    snapshot.AddWarning(file->info.path + ": " + difference);
  }
}

Result<SnapshotPtr> LoadFrom(const TableLog& log, const LogListing& listing, int64_t version) {
  WEIR_ASSIGN_OR_RETURN(auto snapshot, BuildSnapshot(log, listing, version));
  CompareChecksum(listing, *snapshot);
  return snapshot;
}

// The listing behind the hint's checkpoint, if that is there and serves.
Result<SnapshotPtr> TryHint(const TableLog& log, const TimeTravel& at) {
  auto hint = ReadLastCheckpoint(log);
  if (!hint || (at.version && *at.version < hint->version)) return nullptr;
  WEIR_ASSIGN_OR_RETURN(auto listing, ListLog(log, hint->version));
  if (listing.checkpoints.empty()) return nullptr;
  int64_t version = at.version.value_or(listing.latest_version());
  if (version > listing.latest_version() || version < listing.checkpoints.front().version)
    return nullptr;
  auto snapshot = LoadFrom(log, listing, version);
  if (!snapshot && MayFallBack(snapshot.error())) return nullptr;
  return snapshot;
}

}  // namespace

Result<std::shared_ptr<SnapshotImpl>> BuildSnapshot(const TableLog& log, const LogListing& listing,
                                                    int64_t version) {
  WEIR_ASSIGN_OR_RETURN(auto state, SnapshotLoader(log, listing, version).Build());
  return MakeSnapshot(std::move(state));
}

Result<SnapshotPtr> Snapshot::Load(const TableLog& log, const TimeTravel& at) {
  if (at.version && at.timestamp_ms) {
    return Fail(
        InvalidArgument("DELTA_INVALID_TIME_TRAVEL",
                        "a version and a timestamp were given, expected at most one of them"));
  }
  if (at.timestamp_ms) {
    WEIR_ASSIGN_OR_RETURN(int64_t version, ResolveTimestamp(log, *at.timestamp_ms));
    return Load(log, {version, std::nullopt});
  }
  WEIR_ASSIGN_OR_RETURN(auto hinted, TryHint(log, at));
  if (hinted) return hinted;
  for (bool is_first = true;; is_first = false) {
    WEIR_ASSIGN_OR_RETURN(auto listing, ListLog(log));
    if (listing.empty()) return Fail(NoTable(log));
    if (at.version) WEIR_RETURN_IF_ERROR(CheckVersion(log, listing, *at.version));
    auto snapshot = LoadFrom(log, listing, at.version.value_or(listing.latest_version()));
    // What was listed may be cleaned up by now; a new listing has the checkpoint that stands for
    // it.
    const bool is_gone = !snapshot && snapshot.error().kind == ErrorKind::kNotFound;
    if (!is_gone || !is_first) return snapshot;
  }
}

}  // namespace weir::delta
