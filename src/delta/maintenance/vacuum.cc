// SPDX-License-Identifier: Apache-2.0
#include "delta/maintenance/vacuum.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>
#include <unordered_set>

#include "base/parallel.h"
#include "base/text.h"
#include "delta/actions/file_path.h"
#include "delta/deletion_vectors/deletion_vector.h"

namespace weir::delta {
namespace {

using PathSet = std::unordered_set<std::string>;

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

Result<std::vector<storage::ObjectInfo>> UnneededFiles(const Snapshot& snapshot,
                                                       const VacuumOptions& options,
                                                       const PathSet& needed, int64_t cutoff_ms) {
  const std::string& root = snapshot.log().root;
  WEIR_ASSIGN_OR_RETURN(const auto found, FindFiles(snapshot, options));
  const std::set<std::string> nested = NestedTables(found, root);
  std::vector<storage::ObjectInfo> unneeded;
  for (const storage::ObjectInfo& object : found) {
    const std::string_view relative = std::string_view(object.path).substr(root.size() + 1);
    if (object.modified_ms >= cutoff_ms || IsHiddenPath(relative) ||
        IsBelowAny(nested, object.path))
      continue;
    if (needed.count(Canonical(object.path)) == 0) unneeded.push_back(object);
  }
  return unneeded;
}

// Without a listing: the expired tombstones' files that are still there.
Result<std::vector<storage::ObjectInfo>> ExpiredFiles(const Snapshot& snapshot,
                                                      const PathSet& needed,
                                                      const PathSet& expired) {
  std::vector<storage::ObjectInfo> files;
  for (const std::string& path : expired) {
    if (needed.count(path) > 0 || !IsWithinTable(snapshot.log().root, path)) continue;
    auto object = snapshot.log().store->Head(path);
    if (object) {
      files.push_back(std::move(*object));
    } else if (object.error().kind != ErrorKind::kNotFound) {
      return Fail(object.error());
    }
  }
  return files;
}

// Deletions wait for the store more than they work.
constexpr size_t kDeleteThreads = 16;

Status DeleteAll(storage::ObjectStore& store, const std::vector<std::string>& files) {
  std::mutex mutex;  // over the two below
  size_t failures = 0;
  std::optional<Error> first;
  ParallelFor(files.size(), kDeleteThreads, [&](size_t i) {
    const Status deleted = store.Delete(files[i]);
    if (deleted) return;
    const std::lock_guard lock(mutex);
    ++failures;
    if (!first) first = deleted.error();
  });
  if (!first) return {};
  return Fail(first->WithContext("VACUUM could not delete " + std::to_string(failures) + " of " +
                                 std::to_string(files.size()) + " files, run it again; the first"));
}

}  // namespace

Result<VacuumResult> Vacuum(const Snapshot& snapshot, const VacuumOptions& options) {
  const int64_t cutoff_ms = snapshot.log().clock->NowMillis() - options.retention_ms;
  WEIR_ASSIGN_OR_RETURN(PathSet needed, LiveFiles(snapshot));
  for (const std::string& path : options.also_needed) needed.insert(Canonical(path));
  PathSet expired;
  WEIR_ASSIGN_OR_RETURN(const auto tombstones, snapshot.Tombstones());
  for (const RemoveFile& remove : *tombstones) {
    WEIR_RETURN_IF_ERROR(AddFiles(snapshot, remove.path, remove.deletion_vector,
                                  IsExpired(remove, cutoff_ms) ? expired : needed));
  }
  WEIR_ASSIGN_OR_RETURN(const auto objects,
                        options.lite ? ExpiredFiles(snapshot, needed, expired)
                                     : UnneededFiles(snapshot, options, needed, cutoff_ms));
  VacuumResult result;
  for (const storage::ObjectInfo& object : objects) {
    result.files.push_back(object.path);
    result.bytes += object.size;
  }
  std::sort(result.files.begin(), result.files.end());
  if (!options.dry_run) WEIR_RETURN_IF_ERROR(DeleteAll(*snapshot.log().store, result.files));
  return result;
}

}  // namespace weir::delta
