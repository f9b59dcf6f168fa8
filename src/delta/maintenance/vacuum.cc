// SPDX-License-Identifier: Apache-2.0
#include "delta/maintenance/vacuum.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <unordered_set>

#include "base/parallel.h"
#include "base/text.h"
#include "delta/actions/file_path.h"
#include "delta/commit/transaction.h"
#include "delta/deletion_vectors/deletion_vector.h"
#include "delta/features/iceberg_compat.h"
#include "delta/snapshot/log_listing.h"
#include "delta/uniform/iceberg_folder.h"
#include "storage/unfinished_files.h"

namespace weir::delta {
namespace {

using PathSet = std::unordered_set<std::string>;

// Requests to a store wait more than they work.
constexpr size_t kThreads = 16;

// "a//b/./c" and "a/b/c" are one file.
std::string Canonical(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

Status AddFiles(const Snapshot& snapshot, const std::string& path,
                const std::optional<DeletionVectorDescriptor>& vector, PathSet& files) {
  const std::string& root = snapshot.log().root;
  WEIR_ASSIGN_OR_RETURN(const std::string file, ResolveFilePath(root, path));
  files.insert(Canonical(file));
  if (vector && vector->storage_type != 'i') {
    WEIR_ASSIGN_OR_RETURN(const std::string vector_file, DeletionVectorPath(root, *vector));
    files.insert(Canonical(vector_file));
  }
  return {};
}

Result<PathSet> LiveFiles(const Snapshot& snapshot) {
  PathSet live;
  const FileList& files = snapshot.files();
  live.reserve(files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    WEIR_RETURN_IF_ERROR(
        AddFiles(snapshot, std::string(files.path(i)), files.deletion_vector(i), live));
  }
  return live;
}

// A tombstone without a time is as old as can be, as the protocol says.
bool IsExpired(const RemoveFile& remove, int64_t cutoff_ms) {
  return remove.deletion_timestamp.value_or(0) < cutoff_ms;
}

bool IsHidden(std::string_view name) {
  if (!StartsWith(name, "_") && !StartsWith(name, ".")) return false;
  const bool is_partition = name.find('=') != std::string_view::npos;
  return !is_partition && name != "_change_data";
}

// Whether a folder on the way to the file, or the file, is none of the table's.
bool IsHiddenPath(std::string_view relative) {
  while (!relative.empty()) {
    const size_t end = std::min(relative.find('/'), relative.size());
    if (IsHidden(relative.substr(0, end))) return true;
    relative.remove_prefix(std::min(end + 1, relative.size()));
  }
  return false;
}

// Folders, with a slash behind, that are tables of their own.
std::set<std::string> NestedTables(const std::vector<storage::ObjectInfo>& found,
                                   const std::string& root) {
  std::set<std::string> tables;
  for (const storage::ObjectInfo& object : found) {
    const size_t place = object.path.find("/_delta_log/", root.size() + 1);
    if (place != std::string::npos) tables.insert(object.path.substr(0, place + 1));
  }
  return tables;
}

bool IsBelowAny(const std::set<std::string>& folders, const std::string& path) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return StartsWith(path, folder); });
}

// Nobody needs longer to write a file of the log: what is older was left by a process that died.
constexpr int64_t kMostTimeToWriteMs = 3'600'000;

// All files below the table's folder.
Result<std::vector<storage::ObjectInfo>> FindFiles(const Snapshot& snapshot,
                                                   const VacuumOptions& options) {
  const std::string& root = snapshot.log().root;
  if (!options.inventory) return snapshot.log().store->ListRecursive(root);
  std::vector<storage::ObjectInfo> files;
  for (storage::ObjectInfo object : *options.inventory) {
    object.path = storage::NormalizeLocation(object.path);
    if (!object.is_directory && IsWithinTable(root, object.path))
      files.push_back(std::move(object));
  }
  return files;
}

// The folders on the way from the table's to the file, both ends without the file itself.
void AddFolders(const std::string& root, std::string_view path, std::set<std::string>& folders) {
  for (size_t end = path.rfind('/'); end != std::string_view::npos && end > root.size();
       end = path.rfind('/', end - 1)) {
    if (!folders.emplace(path.substr(0, end)).second) return;
  }
}

Result<std::vector<storage::ObjectInfo>> UnneededFiles(const Snapshot& snapshot,
                                                       const VacuumOptions& options,
                                                       const PathSet& needed, int64_t cutoff_ms,
                                                       int64_t& folder_count) {
  const std::string& root = snapshot.log().root;
  WEIR_ASSIGN_OR_RETURN(const auto found, FindFiles(snapshot, options));
  std::set<std::string> nested = NestedTables(found, root);
  // UniForm looks after its folder itself.
  if (IsUniformEnabled(snapshot.metadata()))
    nested.insert(storage::JoinPath(root, kIcebergFolder) + "/");
  std::vector<storage::ObjectInfo> unneeded;
  std::set<std::string> folders;
  for (const storage::ObjectInfo& object : found) {
    const std::string_view relative = std::string_view(object.path).substr(root.size() + 1);
    if (IsHiddenPath(relative) || IsBelowAny(nested, object.path)) continue;
    AddFolders(root, object.path, folders);
    if (object.modified_ms < cutoff_ms && needed.count(Canonical(object.path)) == 0)
      unneeded.push_back(object);
  }
  folder_count = static_cast<int64_t>(folders.size()) + 1;
  if (options.inventory) return unneeded;
  const int64_t dead_ms = snapshot.log().clock->NowMillis() - kMostTimeToWriteMs;
  for (storage::ObjectInfo& left : storage::FindUnfinishedFiles(root)) {
    if (left.modified_ms >= std::min(cutoff_ms, dead_ms) || IsBelowAny(nested, left.path)) continue;
    unneeded.push_back(std::move(left));
  }
  return unneeded;
}

// What one commit has removed, and its change files, as far as that is expired.
Status AddExpired(const Snapshot& snapshot, const DeltaFile& commit, int64_t cutoff_ms,
                  PathSet& expired) {
  WEIR_ASSIGN_OR_RETURN(const auto actions, ReadCommit(snapshot.log(), commit.version));
  for (const Action& action : actions) {
    const auto* remove = std::get_if<RemoveFile>(&action);
    const auto* change_file = std::get_if<AddCdcFile>(&action);
    if (remove != nullptr && IsExpired(*remove, cutoff_ms)) {
      WEIR_RETURN_IF_ERROR(AddFiles(snapshot, remove->path, remove->deletion_vector, expired));
    } else if (change_file != nullptr && commit.info.modified_ms < cutoff_ms) {
      WEIR_RETURN_IF_ERROR(AddFiles(snapshot, change_file->path, std::nullopt, expired));
    }
  }
  return {};
}

// Checkpoints forget tombstones as soon as they are expired; commits keep them.
Status AddExpiredOfCommits(const Snapshot& snapshot, int64_t cutoff_ms, PathSet& expired) {
  WEIR_ASSIGN_OR_RETURN(const LogListing listing, ListLog(snapshot.log()));
  std::mutex mutex;  // over `expired`
  return TryParallelFor(listing.commits.size(), kThreads, [&](size_t i) -> Status {
    if (listing.commits[i].version > snapshot.version()) return {};
    PathSet found;
    WEIR_RETURN_IF_ERROR(AddExpired(snapshot, listing.commits[i], cutoff_ms, found));
    const std::lock_guard lock(mutex);
    expired.merge(found);
    return {};
  });
}

// Without a listing: those of the expired files that are still there.
Result<std::vector<storage::ObjectInfo>> ExpiredFiles(const Snapshot& snapshot,
                                                      const PathSet& needed,
                                                      const PathSet& expired) {
  std::vector<std::string> paths;
  for (const std::string& path : expired) {
    if (needed.count(path) == 0 && IsWithinTable(snapshot.log().root, path)) paths.push_back(path);
  }
  std::mutex mutex;  // over `files`
  std::vector<storage::ObjectInfo> files;
  WEIR_RETURN_IF_ERROR(TryParallelFor(paths.size(), kThreads, [&](size_t i) -> Status {
    auto object = snapshot.log().store->Head(paths[i]);
    if (!object && object.error().kind == ErrorKind::kNotFound) return {};
    if (!object) return Fail(object.error());
    const std::lock_guard lock(mutex);
    files.push_back(std::move(*object));
    return {};
  }));
  return files;
}

// `deleted_count` is set in every case.
Status DeleteAll(storage::ObjectStore& store, const std::vector<std::string>& files,
                 int64_t& deleted_count) {
  std::mutex mutex;  // over the two below
  size_t failures = 0;
  std::optional<Error> first;
  ParallelFor(files.size(), kThreads, [&](size_t i) {
    const Status deleted = store.Delete(files[i]);
    if (deleted) return;
    const std::lock_guard lock(mutex);
    ++failures;
    if (!first) first = deleted.error();
  });
  deleted_count = static_cast<int64_t>(files.size() - failures);
  if (!first) return {};
  return Fail(first->WithContext("VACUUM could not delete " + std::to_string(failures) + " of " +
                                 std::to_string(files.size()) + " files, run it again; the first"));
}

// A commit that tells of the run and changes nothing.
Status Log(const SnapshotPtr& snapshot, const char* operation, JsonValue parameters,
           std::map<std::string, int64_t> metrics) {
  WEIR_ASSIGN_OR_RETURN(const SnapshotPtr newest, snapshot->Update());
  WEIR_ASSIGN_OR_RETURN(const auto transaction, Transaction::Begin(newest));
  transaction->SetOperation(operation, std::move(parameters));
  transaction->SetMetrics(std::move(metrics));
  transaction->SetIsolationLevel(IsolationLevel::kSnapshotIsolation);
  return transaction->Commit().map([](const CommitResult&) {});
}

Status DeleteLogged(const SnapshotPtr& snapshot, const VacuumResult& found, JsonValue parameters) {
  WEIR_RETURN_IF_ERROR(Log(snapshot, "VACUUM START", std::move(parameters),
                           {{"numFilesToDelete", static_cast<int64_t>(found.files.size())},
                            {"sizeOfDataToDelete", found.bytes}}));
  int64_t count = 0;
  const Status deleted = DeleteAll(*snapshot->log().store, found.files, count);
  JsonValue status = JsonValue::Object();
  status.Set("status", JsonValue::String(deleted ? "COMPLETED" : "FAILED"));
  const Status ended = Log(snapshot, "VACUUM END", std::move(status),
                           {{"numDeletedFiles", count}, {"numVacuumedDirectories", found.folders}});
  return deleted ? ended : deleted;
}

Result<PathSet> NeededFiles(const Snapshot& snapshot, const VacuumOptions& options,
                            int64_t cutoff_ms, PathSet& expired) {
  WEIR_ASSIGN_OR_RETURN(PathSet needed, LiveFiles(snapshot));
  for (const std::string& path : options.also_needed) needed.insert(Canonical(path));
  WEIR_ASSIGN_OR_RETURN(const auto tombstones, snapshot.Tombstones());
  for (const RemoveFile& remove : *tombstones) {
    WEIR_RETURN_IF_ERROR(AddFiles(snapshot, remove.path, remove.deletion_vector,
                                  IsExpired(remove, cutoff_ms) ? expired : needed));
  }
  return needed;
}

}  // namespace

Result<VacuumResult> Vacuum(const SnapshotPtr& snapshot, const VacuumOptions& options) {
  const int64_t cutoff_ms = snapshot->log().clock->NowMillis() - options.retention_ms;
  VacuumResult result;
  PathSet expired;
  WEIR_ASSIGN_OR_RETURN(const PathSet needed, NeededFiles(*snapshot, options, cutoff_ms, expired));
  if (options.lite) WEIR_RETURN_IF_ERROR(AddExpiredOfCommits(*snapshot, cutoff_ms, expired));
  WEIR_ASSIGN_OR_RETURN(const auto objects,
                        options.lite
                            ? ExpiredFiles(*snapshot, needed, expired)
                            : UnneededFiles(*snapshot, options, needed, cutoff_ms, result.folders));
  for (const storage::ObjectInfo& object : objects) {
    result.files.push_back(object.path);
    result.bytes += object.size;
  }
  std::sort(result.files.begin(), result.files.end());
  if (options.dry_run) return result;
  int64_t count = 0;
  WEIR_RETURN_IF_ERROR(options.logged ? DeleteLogged(snapshot, result, *options.logged)
                                      : DeleteAll(*snapshot->log().store, result.files, count));
  return result;
}

}  // namespace weir::delta
