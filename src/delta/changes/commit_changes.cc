// SPDX-License-Identifier: Apache-2.0
#include "delta/changes/commit_changes.h"

#include <algorithm>
#include <map>

#include "delta/commit/pending_commit.h"

namespace weir::delta {
namespace {

ChangeFile FileOf(const AddFile& add, ChangeKind kind) {
  ChangeFile file;
  file.kind = kind;
  file.path = add.path;
  file.partition_values = add.partition_values;
  file.size = add.size;
  file.stats = add.stats;
  file.base_row_id = add.base_row_id;
  file.default_row_commit_version = add.default_row_commit_version;
  return file;
}

ChangeFile FileOf(const RemoveFile& remove) {
  ChangeFile file;
  file.kind = ChangeKind::kDelete;
  file.path = remove.path;
  file.partition_values = remove.partition_values;
  file.size = remove.size.value_or(0);
  file.stats = remove.stats;
  file.base_row_id = remove.base_row_id;
  file.default_row_commit_version = remove.default_row_commit_version;
  return file;
}

std::vector<ChangeFile> ChangeDataFiles(const std::vector<Action>& commit) {
  std::vector<ChangeFile> files;
  for (const auto& action : commit) {
    const auto* cdc = std::get_if<AddCdcFile>(&action);
    if (!cdc) continue;
    ChangeFile file;
    file.kind = ChangeKind::kChangeData;
    file.path = cdc->path;
    file.partition_values = cdc->partition_values;
    file.size = cdc->size;
    files.push_back(std::move(file));
  }
  return files;
}

// MERGE writes rows again that it does not change, also when in the end it changes none.
bool IsMergeWithoutChange(const std::vector<Action>& commit) {
  for (const auto& action : commit) {
    const auto* info = std::get_if<CommitInfo>(&action);
    if (!info) continue;
    const JsonValue* metrics = info->members.Find("operationMetrics");
    if (info->operation() != "MERGE" || !metrics) return false;
    auto is_zero = [&](const char* name) {
      const JsonValue* value = metrics->Find(name);
      return value && value->text() == "0";
    };
    return is_zero("numTargetRowsInserted") && is_zero("numTargetRowsUpdated") &&
           is_zero("numTargetRowsDeleted");
  }
  return false;
}

// Both actions of a path in one commit.
struct PathChange {
  const RemoveFile* removed = nullptr;
  const AddFile* added = nullptr;
};

Status AppendVectorChange(const PathChange& change, int64_t version,
                          std::vector<ChangeFile>& files) {
  const auto& old_vector = change.removed->deletion_vector;
  const auto& new_vector = change.added->deletion_vector;
  if (!old_vector && !new_vector) {
    return Fail(CorruptLog("WEIR_FILE_ADDED_AGAIN",
                           "version " + std::to_string(version) + " removes the file '" +
                               change.added->path +
                               "' and adds it again without a deletion vector on either side, so "
                               "that nothing tells which rows have changed"));
  }
  if (new_vector) {
    ChangeFile deletes = FileOf(*change.added, ChangeKind::kDelete);
    deletes.rows_in = new_vector;
    deletes.rows_not_in = old_vector;
    // The new bounds may be those of the rows that are left.
    deletes.stats = change.removed->stats;
    files.push_back(std::move(deletes));
  }
  if (old_vector) {
    ChangeFile inserts = FileOf(*change.added, ChangeKind::kInsert);
    inserts.rows_in = old_vector;
    inserts.rows_not_in = new_vector;
    files.push_back(std::move(inserts));
  }
  return {};
}

// The added and removed files of a commit, dataChange alone counting.
Result<std::vector<ChangeFile>> DataFileChanges(const std::vector<Action>& commit,
                                                int64_t version) {
  std::vector<ChangeFile> files;
  std::map<std::string, PathChange> changes;
  for (const auto& action : commit) {
    const auto* add = std::get_if<AddFile>(&action);
    if (add && add->data_change) changes[CanonicalPath(add->path)].added = add;
    const auto* remove = std::get_if<RemoveFile>(&action);
    if (remove && remove->data_change) changes[CanonicalPath(remove->path)].removed = remove;
  }
  for (const auto& [path, change] : changes) {
    if (change.added && change.removed) {
      WEIR_RETURN_IF_ERROR(AppendVectorChange(change, version, files));
      continue;
    }
    // A lone remove takes the rows that were still there: not those of its (old) vector.
    files.push_back(change.added ? FileOf(*change.added, ChangeKind::kInsert)
                                 : FileOf(*change.removed));
    files.back().rows_not_in =
        change.added ? change.added->deletion_vector : change.removed->deletion_vector;
  }
  return files;
}

Error TakesRowsAway(bool adds_rows, int64_t version, const std::string& path) {
  const std::string place =
      "version " + std::to_string(version) + " takes rows away (file '" + path + "'";
  if (!adds_rows) {
    return InvalidArgument("DELTA_SOURCE_IGNORE_DELETE",
                           place +
                               "), which a stream of appends cannot tell; ignore_deletes "
                               "passes such commits over, the change data feed tells all",
                           "0A000");
  }
  return InvalidArgument(
      "DELTA_SOURCE_TABLE_IGNORE_CHANGES",
      place +
          ") and adds others, as an update does, which a stream of appends cannot tell; "
          "skip_change_commits passes such commits over, ignore_changes gives their added "
          "files again, the change data feed tells all",
      "0A000");
}

Result<std::vector<ChangeFile>> FindAppends(const AppendPolicy& policy,
                                            const std::vector<Action>& commit, int64_t version) {
  std::vector<ChangeFile> files;
  const RemoveFile* removed = nullptr;
  for (const auto& action : commit) {
    const auto* remove = std::get_if<RemoveFile>(&action);
    if (remove && remove->data_change) removed = remove;
    const auto* add = std::get_if<AddFile>(&action);
    if (!add || !add->data_change) continue;
    files.push_back(FileOf(*add, ChangeKind::kInsert));
    files.back().rows_not_in = add->deletion_vector;
  }
  if (!removed) return files;
  if (policy.skip_change_commits) return std::vector<ChangeFile>();
  const bool allowed = policy.ignore_changes || (files.empty() && policy.ignore_deletes);
  if (allowed) return files;
  return Fail(TakesRowsAway(!files.empty(), version, removed->path));
}

}  // namespace

Result<std::vector<ChangeFile>> FindChanges(const std::vector<Action>& commit, int64_t version) {
  std::vector<ChangeFile> files = ChangeDataFiles(commit);
  if (!files.empty() || IsMergeWithoutChange(commit)) return files;
  return DataFileChanges(commit, version);
}

Result<std::vector<ChangeFile>> FindChangesBy(ChangeSource source, const AppendPolicy& policy,
                                              const std::vector<Action>& commit, int64_t version) {
  switch (source) {
    case ChangeSource::kFiles:
      return DataFileChanges(commit, version);
    case ChangeSource::kAppends:
      return FindAppends(policy, commit, version);
    case ChangeSource::kFeed:
      break;
  }
  return FindChanges(commit, version);
}

std::vector<ChangeFile> SnapshotAsInserts(const FileList& files) {
  // Without it the rows can be read all the same.
  const auto statistics = files.ReadStatistics({});
  std::vector<ChangeFile> inserts;
  inserts.reserve(files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    AddFile add = files.GetWithoutStats(i);
    if (statistics && !(*statistics)->json(i).empty()) add.stats = (*statistics)->json(i);
    inserts.push_back(FileOf(add, ChangeKind::kInsert));
    inserts.back().rows_not_in = add.deletion_vector;
  }
  std::sort(inserts.begin(), inserts.end(),
            [](const ChangeFile& a, const ChangeFile& b) { return a.path < b.path; });
  return inserts;
}

}  // namespace weir::delta
