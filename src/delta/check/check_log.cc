// SPDX-License-Identifier: Apache-2.0
#include "delta/check/check_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "delta/check/check_iceberg.h"
#include "delta/check/check_state.h"
#include "delta/check/commit_rules.h"
#include "delta/check/member_names.h"
#include "delta/check/table_replay.h"
#include "delta/snapshot/log_listing.h"

namespace weir::delta {
namespace {

constexpr const char* kPutBack =
    "the commit was changed behind its writer's back: put it back from a backup";

template <typename T>
bool SameIfBoth(const std::optional<T>& a, const std::optional<T>& b) {
  return !a || !b || *a == *b;
}

// What a remove repeats of the file that was added.
bool SameFile(const RemoveFile& remove, const AddFile& add) {
  return remove.size.value_or(add.size) == add.size &&
         SamePartition(remove.partition_values, add.partition_values) &&
         SameIfBoth(remove.base_row_id, add.base_row_id) &&
         SameIfBoth(remove.default_row_commit_version, add.default_row_commit_version);
}

class LogCheck {
 public:
  LogCheck(const TableLog& log, LogListing listing, Findings& findings)
      : log_(log), listing_(std::move(listing)), findings_(findings) {}

  Status Run() {
    const auto earliest = EarliestVersion(listing_);
    if (!earliest) {
      findings_.Add(
          "versions", std::nullopt, log_.log_dir(),
          fmt::format("the oldest commit is {} and there is no checkpoint at or behind it",
                      listing_.commits.front().version),
          "put the older commits or a checkpoint back from a backup");
      return {};
    }
    // The base of the replay: nothing before version 0, or the oldest checkpoint.
    if (*earliest > 0 || listing_.FindCommit(0) == nullptr) {
      if (!StartAtCheckpoint(*earliest)) return {};
      CheckState();
    }
    const int64_t latest = listing_.latest_version();
    while (replay_ && replay_->version < latest) Advance(replay_->version + 1);
    CheckCompactions(log_, listing_, findings_);
    CheckLastCheckpoint(log_, listing_, findings_);
    if (replay_) CheckIceberg(log_, *replay_, findings_);
    return {};
  }

 private:
  // The next version by its commit; where that fails, the next checkpoint behind it.
  void Advance(int64_t version) {
    const DeltaFile* commit = listing_.FindCommit(version);
    if (commit == nullptr) {
      ReportGap(version);
      StartAtCheckpoint(version);
      if (replay_) CheckState();
      return;
    }
    const auto text = log_.store->Get(commit->info.path);
    auto actions = text ? ParseActions(commit->info.path, *text)
                        : Result<std::vector<Action>>(Fail(text.error()));
    if (!actions) {
      findings_.Add(
          "commit-readable", version, commit->info.path, actions.error().message,
          "put the commit back from a backup; until then the versions from here to the next "
          "checkpoint cannot be read");
      StartAtCheckpoint(version);
      return;
    }
    for (std::string& problem : DamagedNamesInActions(*text))
      findings_.Add("commit-members", version, commit->info.path, std::move(problem), kPutBack);
    ReportChangedRemoves(version, commit->info.path, *actions);
    CommitView view{version,
                    commit->info.path,
                    *actions,
                    replay_->metadata,
                    replay_->in_commit_timestamp,
                    UnknownRemoves(*actions),
                    *replay_};
    replay_->Apply(*actions);
    for (const CommitRule& rule : CommitRules()) rule.check(view, findings_);
    CheckState();
  }

  std::vector<std::string> UnknownRemoves(const std::vector<Action>& actions) const {
    std::vector<std::string> names;
    for (const Action& action : actions) {
      const auto* remove = std::get_if<RemoveFile>(&action);
      if (remove == nullptr) continue;
      std::string name = LogicalFileName(remove->path, remove->deletion_vector);
      if (replay_->files.count(name) == 0) names.push_back(std::move(name));
    }
    return names;
  }

  // Protocol section "Add File and Remove File": what a remove repeats of its file is the file's.
  void ReportChangedRemoves(int64_t version, const std::string& commit,
                            const std::vector<Action>& actions) {
    for (const Action& action : actions) {
      const auto* remove = std::get_if<RemoveFile>(&action);
      if (remove == nullptr || !remove->extended_file_metadata) continue;
      const auto file = replay_->files.find(LogicalFileName(remove->path, remove->deletion_vector));
      if (file == replay_->files.end()) continue;
      const bool same = SameFile(*remove, file->second);
      if (!same)
        findings_.Add(
            "commit-files", version, commit,
            "removes " + remove->path +
                " with another size, other partition values or row ids than it was added with",
            kPutBack);
    }
  }

  void ReportGap(int64_t version) {
    const auto next = std::find_if(listing_.commits.begin(), listing_.commits.end(),
                                   [&](const DeltaFile& file) { return file.version > version; });
    const int64_t last =
        next == listing_.commits.end() ? listing_.latest_version() : next->version - 1;
    findings_.Add("versions", version, log_.log_dir(),
                  last > version ? fmt::format("the commits {} to {} are missing", version, last)
                                 : fmt::format("commit {} is missing", version),
                  "put them back from a backup; versions up to the next checkpoint cannot be read");
  }

  // The first checkpoint at or behind `version` that can be read becomes the state.
  bool StartAtCheckpoint(int64_t version) {
    replay_.reset();
    for (const CheckpointFiles& checkpoint : listing_.checkpoints) {
      if (checkpoint.version < version) continue;
      auto state = LoadCheckpoint(log_, checkpoint);
      if (state) {
        replay_ = TableReplay::Of(checkpoint.version, *state);
        base_ = checkpoint.files.front().path;
        return true;
      }
      ReportUnreadableCheckpoint(checkpoint, state.error(), findings_);
    }
    return false;
  }

  // What was written about the version that the replay has reached.
  void CheckState() {
    for (const CheckpointFiles& checkpoint : listing_.checkpoints) {
      if (checkpoint.version == replay_->version && checkpoint.files.front().path != base_)
        CompareCheckpoint(log_, checkpoint, *replay_, findings_);
    }
    if (const DeltaFile* checksum = listing_.FindChecksum(replay_->version))
      CompareChecksum(log_, *checksum, *replay_, findings_);
  }

  const TableLog& log_;
  const LogListing listing_;
  Findings& findings_;
  std::optional<TableReplay> replay_ = TableReplay();
  std::string base_;  // the checkpoint that the replay began with
};

}  // namespace

Status CheckLog(const TableLog& log, Findings& findings) {
  WEIR_ASSIGN_OR_RETURN(LogListing listing, ListLog(log));
  if (listing.empty()) {
    return Fail(NotFound("DELTA_TABLE_NOT_FOUND",
                         fmt::format("{} is no Delta table: {} holds no commit and no checkpoint",
                                     log.root, log.log_dir()),
                         "42P01"));
  }
  return LogCheck(log, std::move(listing), findings).Run();
}

}  // namespace weir::delta
