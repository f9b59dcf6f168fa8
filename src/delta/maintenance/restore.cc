// SPDX-License-Identifier: Apache-2.0
#include "delta/maintenance/restore.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "delta/actions/file_path.h"
#include "delta/actions/removal.h"
#include "delta/deletion_vectors/deletion_vector.h"
#include "delta/identity/identity_columns.h"

namespace weir::delta {
namespace {

// A file with another deletion vector is another file (protocol section "Action Reconciliation").
std::string Key(const FileList& files, size_t i) {
  std::string key(files.path(i));
  if (const auto vector = files.deletion_vector(i)) key += '\n' + vector->UniqueId();
  return key;
}

std::unordered_map<std::string, size_t> IndexFiles(const FileList& files) {
  std::unordered_map<std::string, size_t> index;
  index.reserve(files.size());
  for (size_t i = 0; i < files.size(); ++i) index.emplace(Key(files, i), i);
  return index;
}

Result<bool> IsThere(const Snapshot& snapshot, const std::string& path) {
  auto object = snapshot.log().store->Head(path);
  if (object) return true;
  if (object.error().kind == ErrorKind::kNotFound) return false;
  return Fail(object.error());
}

Status CheckFilesAreThere(const Snapshot& target, const std::vector<AddFile>& restored) {
  std::string first;
  size_t missing = 0;
  const std::string& root = target.log().root;
  for (const AddFile& add : restored) {
    WEIR_ASSIGN_OR_RETURN(const std::string path, ResolveFilePath(root, add.path));
    WEIR_ASSIGN_OR_RETURN(bool there, IsThere(target, path));
    if (there && add.deletion_vector && add.deletion_vector->storage_type != 'i') {
      WEIR_ASSIGN_OR_RETURN(const std::string vector,
                            DeletionVectorPath(root, *add.deletion_vector));
      WEIR_ASSIGN_OR_RETURN(there, IsThere(target, vector));
    }
    if (there) continue;
    if (missing++ == 0) first = path;
  }
  if (missing == 0) return {};
  return Fail(
      NotFound("DELTA_CANNOT_RESTORE_MISSING_FILES",
               root + " cannot be restored to version " + std::to_string(target.version()) + ": " +
                   std::to_string(missing) +
                   " of its files are gone (VACUUM deletes files that newer versions do not "
                   "need), the first is " +
                   first + "; choose a newer version",
               "42K03"));
}

std::vector<std::string> Union(const std::optional<std::vector<std::string>>& a,
                               const std::optional<std::vector<std::string>>& b) {
  std::vector<std::string> all = a.value_or(std::vector<std::string>{});
  for (const std::string& feature : b.value_or(std::vector<std::string>{})) {
    if (std::find(all.begin(), all.end(), feature) == all.end()) all.push_back(feature);
  }
  return all;
}

Protocol Join(const Protocol& current, const Protocol& target) {
  Protocol joined;
  joined.min_reader_version = std::max(current.min_reader_version, target.min_reader_version);
  joined.min_writer_version = std::max(current.min_writer_version, target.min_writer_version);
  if (joined.min_reader_version >= 3)
    joined.reader_features = Union(current.reader_features, target.reader_features);
  if (joined.min_writer_version >= 7)
    joined.writer_features = Union(current.writer_features, target.writer_features);
  return joined;
}

struct FileChanges {
  std::vector<AddFile> restored;
  std::vector<AddFile> removed;
};

Result<FileChanges> Compare(const Snapshot& current, const Snapshot& target) {
  WEIR_RETURN_IF_ERROR(target.files().LoadStats());
  const auto now = IndexFiles(current.files());
  const auto then = IndexFiles(target.files());
  FileChanges changes;
  for (size_t i = 0; i < target.files().size(); ++i) {
    if (now.count(Key(target.files(), i)) > 0) continue;
    changes.restored.push_back(target.files().Get(i));
    changes.restored.back().data_change = true;
  }
  for (size_t i = 0; i < current.files().size(); ++i) {
    if (then.count(Key(current.files(), i)) == 0)
      changes.removed.push_back(current.files().GetWithoutStats(i));
  }
  return changes;
}

int64_t TotalSize(const std::vector<AddFile>& files) {
  int64_t total = 0;
  for (const AddFile& file : files) total += file.size;
  return total;
}

std::map<std::string, int64_t> Metrics(const Snapshot& target, const FileChanges& changes) {
  return {{"tableSizeAfterRestore", target.files().total_size()},
          {"numOfFilesAfterRestore", static_cast<int64_t>(target.files().size())},
          {"numRemovedFiles", static_cast<int64_t>(changes.removed.size())},
          {"numRestoredFiles", static_cast<int64_t>(changes.restored.size())},
          {"removedFilesSize", TotalSize(changes.removed)},
          {"restoredFilesSize", TotalSize(changes.restored)}};
}

// Domains that were added since are removed, the others get their old configuration, but a row id
// once given is never given again, so the row tracking mark stays.
void RestoreDomains(const Snapshot& current, const Snapshot& target, Transaction& transaction) {
  for (const auto& [name, domain] : target.domains()) {
    const auto it = current.domains().find(name);
    const bool same = it != current.domains().end() && it->second == domain;
    if (!same && name != "delta.rowTracking") transaction.Add(domain);
  }
  for (const auto& [name, domain] : current.domains()) {
    if (target.domains().count(name) > 0 || name == "delta.rowTracking") continue;
    transaction.Add(DomainMetadata{name, domain.configuration, true});
  }
}

// As it was, but identity columns go on counting where they are.
Result<Metadata> RestoredMetadata(const Snapshot& current, const Snapshot& target) {
  Metadata metadata = target.metadata();
  WEIR_ASSIGN_OR_RETURN(const TypePtr schema,
                        WithIdentityMarksOf(target.schema(), *current.schema()));
  if (schema != target.schema()) metadata.schema_string = schema->ToJson();
  return metadata;
}

}  // namespace

Result<RestoreResult> Restore(const SnapshotPtr& current, const Snapshot& target,
                              JsonValue parameters) {
  WEIR_ASSIGN_OR_RETURN(const FileChanges changes, Compare(*current, target));
  WEIR_RETURN_IF_ERROR(CheckFilesAreThere(target, changes.restored));
  WEIR_ASSIGN_OR_RETURN(const auto transaction, Transaction::Begin(current));
  transaction->reads().whole_table = true;
  transaction->SetOperation("RESTORE", std::move(parameters));
  const Protocol protocol = Join(current->protocol(), target.protocol());
  if (protocol != current->protocol()) transaction->Add(protocol);
  WEIR_ASSIGN_OR_RETURN(Metadata metadata, RestoredMetadata(*current, target));
  transaction->Add(std::move(metadata));
  RestoreDomains(*current, target, *transaction);
  // Removals first: of a file whose deletion vector changes there are both, and a removal behind an
  // add of the same path would take the add back.
  const int64_t now_ms = current->log().clock->NowMillis();
  for (const AddFile& add : changes.removed) transaction->Add(RemovalOf(add, now_ms));
  for (const AddFile& add : changes.restored) transaction->Add(add);
  RestoreResult result;
  result.metrics = Metrics(target, changes);
  transaction->SetMetrics(result.metrics);
  WEIR_ASSIGN_OR_RETURN(const CommitResult commit, transaction->Commit());
  result.version = commit.version;
  return result;
}

}  // namespace weir::delta
