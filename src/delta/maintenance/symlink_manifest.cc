// SPDX-License-Identifier: Apache-2.0
#include "delta/maintenance/symlink_manifest.h"

#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/text.h"
#include "delta/actions/file_path.h"
#include "delta/commit/pending_commit.h"
#include "delta/features/properties.h"
#include "delta/partitions/partition_values.h"

namespace weir::delta {
namespace {

using Manifests = std::map<std::string, std::string>;  // the text by its path
using Folders = std::set<std::string>;                 // of partitions, as "p=1/q=2"

std::string ManifestPath(const Snapshot& snapshot, const std::string& partition) {
  std::string folder = storage::JoinPath(snapshot.log().root, kSymlinkManifestFolder);
  if (!partition.empty()) folder = storage::JoinPath(folder, partition);
  return storage::JoinPath(folder, "manifest");
}

std::string PartitionFolder(const Snapshot& snapshot, const PartitionValues& of_file) {
  std::vector<std::pair<std::string, std::optional<std::string>>> values;
  for (const std::string& column : snapshot.metadata().partition_columns) {
    const auto value = of_file.find(column);
    const bool is_null = value == of_file.end() || !value->second || value->second->empty();
    values.emplace_back(column, is_null ? std::nullopt : value->second);
  }
  return values.empty() ? std::string() : PartitionDirectory(values);
}

std::string PartitionFolder(const Snapshot& snapshot, size_t file) {
  PartitionValues values;
  const auto& columns = snapshot.metadata().partition_columns;
  for (size_t k = 0; k < columns.size(); ++k) {
    if (const auto value = snapshot.files().partition_value(file, k))
      values[columns[k]] = std::string(*value);
  }
  return PartitionFolder(snapshot, values);
}

// Of all partitions, or of those in `only`.
Result<Manifests> ListFiles(const Snapshot& snapshot, const Folders* only) {
  Manifests manifests;
  if (snapshot.metadata().partition_columns.empty()) manifests[ManifestPath(snapshot, "")];
  for (size_t i = 0; i < snapshot.files().size(); ++i) {
    const std::string partition = PartitionFolder(snapshot, i);
    if (only != nullptr && only->count(partition) == 0) continue;
    WEIR_ASSIGN_OR_RETURN(
        const std::string path,
        ResolveFilePath(snapshot.log().root, std::string(snapshot.files().path(i))));
    manifests[ManifestPath(snapshot, partition)] +=
        (StartsWith(path, "/") ? "file:" : "") + path + "\n";
  }
  return manifests;
}

Status Put(const Snapshot& snapshot, const Manifests& manifests) {
  for (const auto& [path, text] : manifests)
    WEIR_RETURN_IF_ERROR(snapshot.log().store->Put(path, text));
  return {};
}

// The partitions whose files a commit adds or removes; nullopt: any may be.
Result<std::optional<Folders>> TouchedPartitions(const Snapshot& snapshot) {
  WEIR_ASSIGN_OR_RETURN(const auto actions, ReadCommit(snapshot.log(), snapshot.version()));
  Folders touched;
  for (const Action& action : actions) {
    const auto* remove = std::get_if<RemoveFile>(&action);
    if (std::holds_alternative<Metadata>(action)) return std::nullopt;
    if (const auto* add = std::get_if<AddFile>(&action)) {
      touched.insert(PartitionFolder(snapshot, add->partition_values));
    } else if (remove != nullptr) {
      if (!remove->extended_file_metadata) return std::nullopt;
      touched.insert(PartitionFolder(snapshot, remove->partition_values));
    }
  }
  return touched;
}

Result<bool> IsKeptUp(const Snapshot& snapshot) {
  WEIR_ASSIGN_OR_RETURN(const auto properties,
                        ParseTableProperties(snapshot.metadata().configuration));
  return properties.symlink_manifest;
}

Status UpdateTouched(const Snapshot& snapshot) {
  WEIR_RETURN_IF_ERROR(CheckListsSuffice(snapshot));
  WEIR_ASSIGN_OR_RETURN(const auto touched, TouchedPartitions(snapshot));
  if (!touched) return WriteSymlinkManifests(snapshot).map([](int64_t) {});
  if (touched->empty()) return {};
  WEIR_ASSIGN_OR_RETURN(const Manifests manifests, ListFiles(snapshot, &*touched));
  WEIR_RETURN_IF_ERROR(Put(snapshot, manifests));
  for (const std::string& partition : *touched) {
    const std::string path = ManifestPath(snapshot, partition);
    if (manifests.count(path) > 0) continue;
    const Status deleted = snapshot.log().store->Delete(path);
    if (!deleted && deleted.error().kind != ErrorKind::kNotFound) return deleted;
  }
  return {};
}

}  // namespace

Status CheckListsSuffice(const Snapshot& snapshot) {
  WEIR_ASSIGN_OR_RETURN(const auto properties,
                        ParseTableProperties(snapshot.metadata().configuration));
  if (properties.column_mapping_mode != ColumnMappingMode::kNone) {
    return Fail(UnsupportedFeature("DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING",
                                   snapshot.log().root +
                                       " has column mapping: readers of a manifest would not find "
                                       "its columns",
                                   "0AKDC"));
  }
  for (size_t i = 0; i < snapshot.files().size(); ++i) {
    if (!snapshot.files().has_deletion_vector(i)) continue;
    return Fail(UnsupportedFeature(
        "DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS",
        snapshot.log().root +
            " has deletion vectors, which readers of a manifest do not know; REORG TABLE ... APPLY "
            "(PURGE) first",
        "0AKDC"));
  }
  return {};
}

Result<int64_t> WriteSymlinkManifests(const Snapshot& snapshot) {
  WEIR_RETURN_IF_ERROR(CheckListsSuffice(snapshot));
  WEIR_ASSIGN_OR_RETURN(const Manifests manifests, ListFiles(snapshot, nullptr));
  WEIR_RETURN_IF_ERROR(Put(snapshot, manifests));
  storage::ObjectStore& store = *snapshot.log().store;
  WEIR_ASSIGN_OR_RETURN(const auto present, store.ListRecursive(storage::JoinPath(
                                                snapshot.log().root, kSymlinkManifestFolder)));
  for (const storage::ObjectInfo& object : present) {
    if (manifests.count(object.path) == 0) WEIR_RETURN_IF_ERROR(store.Delete(object.path));
  }
  return static_cast<int64_t>(manifests.size());
}

Status UpdateSymlinkManifests(SnapshotPtr snapshot) {
  WEIR_ASSIGN_OR_RETURN(bool is_kept_up, IsKeptUp(*snapshot));
  if (!is_kept_up) return {};
  WEIR_RETURN_IF_ERROR(UpdateTouched(*snapshot));
  while (true) {
    // Whoever is last writes the newest, also over the lists of a slower writer.
    WEIR_ASSIGN_OR_RETURN(SnapshotPtr newest, snapshot->Update());
    WEIR_ASSIGN_OR_RETURN(is_kept_up, IsKeptUp(*newest));
    if (newest->version() == snapshot->version() || !is_kept_up) return {};
    snapshot = std::move(newest);
    WEIR_RETURN_IF_ERROR(WriteSymlinkManifests(*snapshot).map([](int64_t) {}));
  }
}

}  // namespace weir::delta
