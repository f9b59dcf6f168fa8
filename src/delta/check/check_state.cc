// SPDX-License-Identifier: Apache-2.0
#include "delta/check/check_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "delta/check/member_names.h"
#include "delta/check/parquet_beginning.h"
#include "delta/checkpoint/last_checkpoint.h"
#include "delta/commit/pending_commit.h"

namespace weir::delta {
namespace {

constexpr const char* kCheckpointRemedy =
    "readers pass over it or read wrong rows: weir check --repair writes it anew from the commits";
constexpr const char* kCompactionRemedy =
    "readers that use compactions read wrong rows: weir check --repair deletes it";

// What one side of a compaction or of its commits comes to: the last word on each logical file, and
// everything else as a replay keeps it.
struct Reconciled {
  TableReplay state;
  std::set<std::string> removed;
};

void Apply(const std::vector<Action>& actions, Reconciled& reconciled) {
  reconciled.state.Apply(actions);
  for (const Action& action : actions) {
    if (const auto* add = std::get_if<AddFile>(&action)) {
      reconciled.removed.erase(LogicalFileName(add->path, add->deletion_vector));
    }
  }
  for (const Action& action : actions) {
    const auto* remove = std::get_if<RemoveFile>(&action);
    if (remove == nullptr) continue;
    std::string name = LogicalFileName(remove->path, remove->deletion_vector);
    if (reconciled.state.files.count(name) == 0) reconciled.removed.insert(std::move(name));
  }
}

Result<Reconciled> Reconcile(const TableLog& log, const std::vector<std::string>& paths) {
  Reconciled reconciled;
  for (const std::string& path : paths) {
    WEIR_ASSIGN_OR_RETURN(const std::string text, log.store->Get(path));
    WEIR_ASSIGN_OR_RETURN(const auto actions, ParseActions(path, text));
    Apply(actions, reconciled);
  }
  return reconciled;
}

// A compaction is one set of actions: what it names twice contradicts itself.
std::optional<std::string> NamedTwice(const std::vector<Action>& actions) {
  std::set<std::string> names;
  for (const Action& action : actions) {
    std::string name;
    if (const auto* add = std::get_if<AddFile>(&action)) {
      name = LogicalFileName(add->path, add->deletion_vector);
    } else if (const auto* remove = std::get_if<RemoveFile>(&action)) {
      name = LogicalFileName(remove->path, remove->deletion_vector);
    } else {
      continue;
    }
    if (!names.insert(name).second) return name;
  }
  return std::nullopt;
}

std::vector<std::string> CommitPaths(const LogListing& listing, const DeltaFile& compaction) {
  std::vector<std::string> paths;
  for (int64_t version = compaction.version; version <= compaction.end_version; ++version) {
    const DeltaFile* commit = listing.FindCommit(version);
    if (commit == nullptr) return {};
    paths.push_back(commit->info.path);
  }
  return paths;
}

std::vector<std::string> CompactionDifferences(const TableLog& log, const DeltaFile& compaction,
                                               const std::vector<std::string>& commits) {
  const auto text = log.store->Get(compaction.info.path);
  if (!text) return {text.error().message};
  const auto actions = ParseActions(compaction.info.path, *text);
  if (!actions) return {actions.error().message};
  if (const auto twice = NamedTwice(*actions)) return {"it names " + *twice + " twice"};
  if (auto names = DamagedNamesInActions(*text); !names.empty()) return names;
  const auto expected = Reconcile(log, commits);
  if (!expected) return {};  // The commit that cannot be read is reported itself.
  Reconciled found;
  Apply(*actions, found);
  auto differences = Differences(found.state, "it", expected->state, "its commits");
  if (found.state.protocol.has_value() != expected->state.protocol.has_value() ||
      found.state.metadata.has_value() != expected->state.metadata.has_value())
    differences.emplace_back("it and its commits do not both have a protocol and metadata");
  if (differences.empty() && found.removed != expected->removed)
    differences.emplace_back("it removes other files than its commits");
  return differences;
}

// Of the checkpoint itself, and its sidecars.
std::set<std::string> ParquetFiles(const CheckpointFiles& checkpoint,
                                   const CheckpointState& state) {
  std::set<std::string> paths(state.parquet_files.begin(), state.parquet_files.end());
  for (const storage::ObjectInfo& file : checkpoint.files) {
    if (file.path.ends_with(".parquet")) paths.insert(file.path);
  }
  return paths;
}

}  // namespace

void ReportUnreadableCheckpoint(const CheckpointFiles& checkpoint, const Error& error,
                                Findings& findings) {
  findings.Add("checkpoint", checkpoint.version, checkpoint.files.front().path,
               "cannot be read: " + error.message, kCheckpointRemedy, RepairKind::kCheckpoint);
}

void CompareCheckpoint(const TableLog& log, const CheckpointFiles& checkpoint,
                       const TableReplay& replay, Findings& findings) {
  const auto state = LoadCheckpoint(log, checkpoint);
  if (!state) return ReportUnreadableCheckpoint(checkpoint, state.error(), findings);
  for (const std::string& path : ParquetFiles(checkpoint, *state)) {
    if (!MayBeParquet(*log.store, path))
      findings.Add("checkpoint", checkpoint.version, checkpoint.files.front().path,
                   path + " does not begin as a Parquet file", kCheckpointRemedy,
                   RepairKind::kCheckpoint);
  }
  const TableReplay found = TableReplay::Of(checkpoint.version, *state);
  for (std::string& difference :
       Differences(found, "the checkpoint", replay, "the replay of the commits")) {
    findings.Add("checkpoint", checkpoint.version, checkpoint.files.front().path,
                 std::move(difference), kCheckpointRemedy, RepairKind::kCheckpoint);
  }
}

void CheckCompactions(const TableLog& log, const LogListing& listing, Findings& findings) {
  for (const DeltaFile& compaction : listing.compactions) {
    const auto commits = CommitPaths(listing, compaction);
    if (commits.empty()) continue;
    for (std::string& difference : CompactionDifferences(log, compaction, commits)) {
      findings.Add("compaction", compaction.end_version, compaction.info.path,
                   std::move(difference), kCompactionRemedy, RepairKind::kCompaction);
    }
  }
}

void CheckLastCheckpoint(const TableLog& log, const LogListing& listing, Findings& findings) {
  const std::string path = storage::JoinPath(log.log_dir(), kLastCheckpointName);
  const auto report = [&](std::string problem) {
    findings.Add("last-checkpoint", std::nullopt, path, std::move(problem),
                 "readers list the log instead, or fail: weir check --repair writes it anew",
                 RepairKind::kLastCheckpoint);
  };
  const auto text = log.store->Get(path);
  if (!text) {
    if (text.error().kind != ErrorKind::kNotFound) report(text.error().message);
    return;
  }
  const auto hint = ParseLastCheckpoint(*text);
  if (!hint) return report("it is no hint to a checkpoint, or its checksum does not match");
  const bool is_there = std::any_of(
      listing.checkpoints.begin(), listing.checkpoints.end(),
      [&](const CheckpointFiles& checkpoint) { return checkpoint.version == hint->version; });
  if (!is_there)
    report(fmt::format("it names a checkpoint of version {}, which is not there", hint->version));
}

}  // namespace weir::delta
