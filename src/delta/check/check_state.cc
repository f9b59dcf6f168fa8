// SPDX-License-Identifier: Apache-2.0
#include "delta/check/check_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/json.h"
#include "delta/checkpoint/last_checkpoint.h"
#include "delta/checksum/version_checksum.h"
#include "delta/commit/pending_commit.h"

namespace weir::delta {
namespace {

constexpr const char* kCheckpointRemedy =
    "readers pass over it or read wrong rows: weir check --repair writes it anew from the commits";
constexpr const char* kChecksumRemedy =
    "Spark may refuse the table: weir check --repair writes it anew from the log";
constexpr const char* kCompactionRemedy =
    "readers that use compactions read wrong rows: weir check --repair deletes it";

// Numbers of an array member of a member; empty when it has another form.
std::vector<int64_t> Numbers(const JsonValue* object, std::string_view key) {
  const JsonValue* list = object ? object->Find(key) : nullptr;
  std::vector<int64_t> numbers;
  if (list == nullptr) return numbers;
  for (const JsonValue& item : list->items()) numbers.push_back(item.AsInt64().value_or(-1));
  return numbers;
}

// The bins are the file's own.
bool HistogramHolds(const JsonValue& histogram, const TableReplay& replay) {
  const auto bounds = Numbers(&histogram, "sortedBinBoundaries");
  const auto counts = Numbers(&histogram, "fileCounts");
  const auto bytes = Numbers(&histogram, "totalBytes");
  if (bounds.empty() || counts.size() != bounds.size() || bytes.size() != bounds.size())
    return true;  // of another form, about which nothing is known
  std::vector<int64_t> found_counts(bounds.size(), 0);
  std::vector<int64_t> found_bytes(bounds.size(), 0);
  for (const auto& [name, file] : replay.files) {
    const auto above = std::upper_bound(bounds.begin(), bounds.end(), file.size);
    if (above == bounds.begin()) continue;
    const auto bin = static_cast<size_t>(above - bounds.begin() - 1);
    ++found_counts[bin];
    found_bytes[bin] += file.size;
  }
  return found_counts == counts && found_bytes == bytes;
}

std::vector<std::string> ChecksumDifferences(const VersionChecksum& checksum,
                                             const TableReplay& replay) {
  std::vector<std::string> out;
  const auto compare = [&](std::string_view what, int64_t noted, int64_t found) {
    if (noted != found)
      out.push_back(fmt::format("it says {} {}, the log gives {}", what, noted, found));
  };
  compare("numFiles", checksum.num_files, static_cast<int64_t>(replay.files.size()));
  compare("tableSizeBytes", checksum.table_size_bytes, replay.TotalSize());
  int64_t vectors = 0;
  int64_t records = 0;
  for (const auto& [name, file] : replay.files) {
    if (!file.deletion_vector) continue;
    ++vectors;
    records += file.deletion_vector->cardinality;
  }
  compare("numDeletionVectorsOpt", checksum.num_deletion_vectors.value_or(vectors), vectors);
  compare("numDeletedRecordsOpt", checksum.num_deleted_records.value_or(records), records);
  if (checksum.in_commit_timestamp && replay.in_commit_timestamp)
    compare("inCommitTimestampOpt", *checksum.in_commit_timestamp, *replay.in_commit_timestamp);
  // Only these two are compared; what else a checksum may hold is optional.
  TableReplay noted;
  noted.protocol = checksum.protocol;
  noted.metadata = checksum.metadata;
  TableReplay found;
  found.protocol = replay.protocol;
  found.metadata = replay.metadata;
  for (std::string& difference : Differences(noted, "it", found, "the log"))
    out.push_back(std::move(difference));
  return out;
}

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
  const auto expected = Reconcile(log, commits);
  if (!expected) return {};  // The commit that cannot be read is reported itself.
  Reconciled found;
  Apply(*actions, found);
  auto differences = Differences(found.state, "it", expected->state, "its commits");
  if (differences.empty() && found.removed != expected->removed)
    differences.emplace_back("it removes other files than its commits");
  return differences;
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
  const TableReplay found = TableReplay::Of(checkpoint.version, *state);
  for (std::string& difference :
       Differences(found, "the checkpoint", replay, "the replay of the commits")) {
    findings.Add("checkpoint", checkpoint.version, checkpoint.files.front().path,
                 std::move(difference), kCheckpointRemedy, RepairKind::kCheckpoint);
  }
}

void CompareChecksum(const TableLog& log, const DeltaFile& checksum, const TableReplay& replay,
                     Findings& findings) {
  const auto report = [&](std::string problem) {
    findings.Add("checksum", checksum.version, checksum.info.path, std::move(problem),
                 kChecksumRemedy, RepairKind::kChecksum);
  };
  const auto text = log.store->Get(checksum.info.path);
  if (!text) return report(text.error().message);
  const auto parsed = ParseVersionChecksum(*text);
  if (!parsed) return report(parsed.error().message);
  for (std::string& difference : ChecksumDifferences(*parsed, replay))
    report(std::move(difference));
  const auto document = JsonValue::Parse(*text);
  for (const char* key : {"fileSizeHistogram", "histogramOpt"}) {
    const JsonValue* histogram = document ? document->Find(key) : nullptr;
    if (histogram != nullptr && histogram->is_object() && !HistogramHolds(*histogram, replay))
      report(fmt::format("its {} is not that of the files of the version", key));
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
