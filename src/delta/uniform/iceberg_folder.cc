// SPDX-License-Identifier: Apache-2.0
#include "delta/uniform/iceberg_folder.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/text.h"
#include "iceberg/avro.h"
#include "iceberg/manifest_list.h"

namespace weir::delta {
namespace {

constexpr std::string_view kMetadataSuffix = ".metadata.json";
constexpr int64_t kMostReadingTimeMs = 24 * 3'600'000;

Result<std::optional<int64_t>> NewestVersion(const TableLog& log) {
  std::optional<int64_t> newest;
  WEIR_ASSIGN_OR_RETURN(const auto files,
                        log.store->List(storage::JoinPath(log.root, kIcebergFolder)));
  for (const storage::ObjectInfo& file : files)
    newest = std::max(newest, ParseIcebergMetadataName(storage::BaseName(file.path)));
  return newest;
}

// Files of Weir that may go unless a snapshot needs them.
Result<std::set<std::string>> FindOldFiles(const TableLog& log,
                                           const iceberg::TableMetadata& metadata,
                                           int64_t version) {
  std::set<std::string> needed;
  for (const auto& entry : metadata.metadata_log) needed.insert(entry.file);
  for (const auto& snapshot : metadata.snapshots) needed.insert(snapshot.manifest_list);
  WEIR_ASSIGN_OR_RETURN(const auto files,
                        log.store->List(storage::JoinPath(log.root, kIcebergFolder)));
  std::set<std::string> old;
  for (const storage::ObjectInfo& file : files) {
    const std::string_view name = storage::BaseName(file.path);
    const auto of_version = ParseIcebergMetadataName(name);
    const bool is_ours = of_version ? *of_version < version : StartsWith(name, kIcebergAvroPrefix);
    const bool is_young = file.modified_ms > log.clock->NowMillis() - kMostReadingTimeMs;
    if (is_ours && !is_young && needed.count(file.path) == 0) old.insert(file.path);
  }
  return old;
}

}  // namespace

std::string IcebergPath(const TableLog& log, std::string_view name) {
  return storage::JoinPath(storage::JoinPath(log.root, kIcebergFolder), name);
}

std::string IcebergMetadataName(int64_t version) {
  return "v" + std::to_string(version) + std::string(kMetadataSuffix);
}

std::optional<int64_t> ParseIcebergMetadataName(std::string_view name) {
  if (!StartsWith(name, "v") || !EndsWith(name, kMetadataSuffix)) return std::nullopt;
  const auto version = ParseInt64(name.substr(1, name.size() - 1 - kMetadataSuffix.size()));
  return version && *version >= 0 ? version : std::nullopt;
}

Result<std::optional<IcebergState>> FindIcebergState(const TableLog& log) {
  WEIR_ASSIGN_OR_RETURN(const auto newest, NewestVersion(log));
  if (!newest) return std::nullopt;
  IcebergState state;
  state.version = *newest;
  state.path = IcebergPath(log, IcebergMetadataName(*newest));
  WEIR_ASSIGN_OR_RETURN(const std::string text, log.store->Get(state.path));
  auto metadata = iceberg::ParseTableMetadata(text);
  if (!metadata) return Fail(metadata.error().WithContext(state.path));
  state.metadata = std::move(*metadata);
  const std::string* version = state.metadata.FindProperty(kDeltaVersion);
  if (version == nullptr || ParseInt64(*version) != state.version) {
    return Fail(iceberg::Malformed(state.path +
                                   " was not made of a Delta table; move the folder away, "
                                   "or do without delta.universalFormat.enabledFormats"));
  }
  return state;
}

Status PointAtNewest(const TableLog& log, int64_t version) {
  while (true) {
    WEIR_RETURN_IF_ERROR(log.store->Put(IcebergPath(log, kIcebergHint), std::to_string(version)));
    WEIR_ASSIGN_OR_RETURN(const auto newest, NewestVersion(log));
    // Whoever writes last has looked last.
    if (!newest || *newest <= version) return {};
    version = *newest;
  }
}

Status CleanUpIcebergFolder(const TableLog& log, const iceberg::TableMetadata& metadata,
                            int64_t version) {
  WEIR_ASSIGN_OR_RETURN(std::set<std::string> old, FindOldFiles(log, metadata, version));
  const bool has_manifests = std::any_of(old.begin(), old.end(), [](const std::string& path) {
    return StartsWith(storage::BaseName(path), kIcebergAvroPrefix);
  });
  for (size_t i = 0; has_manifests && i < metadata.snapshots.size(); ++i) {
    WEIR_ASSIGN_OR_RETURN(const std::string list,
                          log.store->Get(metadata.snapshots[i].manifest_list));
    WEIR_ASSIGN_OR_RETURN(const auto manifests, iceberg::ReadManifestList(list));
    for (const iceberg::ManifestFile& manifest : manifests) old.erase(manifest.path);
  }
  for (const std::string& path : old) WEIR_RETURN_IF_ERROR(log.store->Delete(path));
  return {};
}

}  // namespace weir::delta
