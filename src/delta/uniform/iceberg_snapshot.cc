// SPDX-License-Identifier: Apache-2.0
#include "delta/uniform/iceberg_snapshot.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/parallel.h"
#include "base/uuid.h"
#include "delta/uniform/iceberg_folder.h"
#include "iceberg/avro.h"

namespace weir::delta {
namespace {

using iceberg::EntryStatus;
using iceberg::ManifestEntry;
using iceberg::ManifestFile;

constexpr size_t kFilesPerManifest = 5000;
// As Iceberg's commit.manifest.min-count-to-merge.
constexpr size_t kMostManifests = 100;
constexpr size_t kThreads = 16;

int64_t RandomSnapshotId() {
  const Uuid random = Uuid::Random();
  uint64_t bits = 0;
  std::memcpy(&bits, random.bytes.data() + sizeof(bits), sizeof(bits));
  return static_cast<int64_t>(bits >> 1);
}

}  // namespace

IcebergSnapshotWriter::IcebergSnapshotWriter(const TableLog& log,
                                             const iceberg::TableMetadata& metadata,
                                             iceberg::PartitionSpec spec)
    : log_(log),
      metadata_(metadata),
      spec_(std::move(spec)),
      schema_json_(metadata.FindSchema(metadata.current_schema_id)->ToJson().ToString()),
      name_(std::string(kIcebergAvroPrefix) + Uuid::Random().ToString()),
      snapshot_id_(RandomSnapshotId()),
      sequence_number_(metadata.last_sequence_number + 1) {}

Result<IcebergSnapshotWriter::Entries> IcebergSnapshotWriter::ReadEntries(
    const ManifestFile& manifest) const {
  WEIR_ASSIGN_OR_RETURN(const std::string bytes, log_.store->Get(manifest.path));
  return iceberg::ReadManifest(bytes, spec_);
}

Status IcebergSnapshotWriter::TakeOver(const std::set<std::string>& removed) {
  const iceberg::Snapshot* current = metadata_.current_snapshot();
  if (current == nullptr) return {};
  WEIR_ASSIGN_OR_RETURN(const std::string list, log_.store->Get(current->manifest_list));
  WEIR_ASSIGN_OR_RETURN(std::vector<ManifestFile> manifests, iceberg::ReadManifestList(list));
  std::erase_if(manifests, [](const ManifestFile& each) { return each.live_files() == 0; });
  for (const ManifestFile& manifest : manifests) {
    if (manifest.spec_id != spec_.id)
      return Fail(iceberg::Malformed("a manifest of another partition spec"));
  }
  if (removed.empty()) {
    manifests_ = std::move(manifests);
  } else {
    for (const ManifestFile& manifest : manifests)
      WEIR_RETURN_IF_ERROR(RemoveFrom(manifest, removed));
  }
  return manifests_.size() > kMostManifests ? MergeSmall() : Status{};
}

Status IcebergSnapshotWriter::RemoveFrom(const ManifestFile& manifest,
                                         const std::set<std::string>& removed) {
  WEIR_ASSIGN_OR_RETURN(Entries entries, ReadEntries(manifest));
  std::erase_if(entries,
                [](const ManifestEntry& each) { return each.status == EntryStatus::kDeleted; });
  bool is_touched = false;
  for (ManifestEntry& entry : entries) {
    entry.status = EntryStatus::kExisting;
    if (removed.count(entry.file.path) == 0) continue;
    is_touched = true;
    entry.status = EntryStatus::kDeleted;
    entry.snapshot_id = snapshot_id_;
    ++deleted_files_;
    deleted_rows_ += entry.file.record_count;
    deleted_size_ += entry.file.size;
  }
  if (is_touched) return WriteManifest(entries);
  manifests_.push_back(manifest);
  return {};
}

// Those that are less than half full, without the entries of files that are gone.
Status IcebergSnapshotWriter::MergeSmall() {
  std::vector<ManifestFile> small;
  std::vector<ManifestFile> others;
  for (ManifestFile& manifest : manifests_) {
    const bool is_new = manifest.added_snapshot_id == snapshot_id_;
    const bool is_small = manifest.live_files() < static_cast<int64_t>(kFilesPerManifest / 2);
    (is_small && !is_new ? small : others).push_back(std::move(manifest));
  }
  manifests_ = std::move(others);
  std::vector<Entries> read(small.size());
  WEIR_RETURN_IF_ERROR(TryParallelFor(small.size(), kThreads, [&](size_t i) -> Status {
    WEIR_ASSIGN_OR_RETURN(read[i], ReadEntries(small[i]));
    return {};
  }));
  Entries merged;
  for (Entries& entries : read) {
    for (ManifestEntry& entry : entries) {
      if (entry.status == EntryStatus::kDeleted) continue;
      entry.status = EntryStatus::kExisting;
      merged.push_back(std::move(entry));
    }
    if (merged.size() < kFilesPerManifest) continue;
    WEIR_RETURN_IF_ERROR(WriteManifest(std::exchange(merged, {})));
  }
  return merged.empty() ? Status{} : WriteManifest(merged);
}

Status IcebergSnapshotWriter::Add(iceberg::DataFile file) {
  ++added_files_;
  added_rows_ += file.record_count;
  added_size_ += file.size;
  added_.push_back(
      {EntryStatus::kAdded, snapshot_id_, sequence_number_, sequence_number_, std::move(file)});
  return added_.size() < kFilesPerManifest ? Status{} : FlushAdded();
}

Status IcebergSnapshotWriter::FlushAdded() {
  if (added_.empty()) return {};
  return WriteManifest(std::exchange(added_, {}));
}

Status IcebergSnapshotWriter::WriteManifest(const Entries& entries) {
  const std::string bytes =
      iceberg::WriteManifest(spec_, metadata_.current_schema_id, schema_json_, entries);
  ManifestFile manifest = iceberg::Summarize(spec_, entries);
  manifest.path = IcebergPath(log_, name_ + "-m" + std::to_string(written_++) + ".avro");
  manifest.length = static_cast<int64_t>(bytes.size());
  manifest.sequence_number = sequence_number_;
  manifest.added_snapshot_id = snapshot_id_;
  WEIR_RETURN_IF_ERROR(log_.store->Put(manifest.path, bytes));
  manifests_.push_back(std::move(manifest));
  return {};
}

int64_t IcebergSnapshotWriter::live_files() const {
  auto count = static_cast<int64_t>(added_.size());
  for (const ManifestFile& manifest : manifests_) count += manifest.live_files();
  return count;
}

Result<iceberg::Snapshot> IcebergSnapshotWriter::Finish(std::string_view operation,
                                                        int64_t total_size, int64_t timestamp_ms) {
  WEIR_RETURN_IF_ERROR(FlushAdded());
  iceberg::Snapshot snapshot;
  snapshot.id = snapshot_id_;
  snapshot.parent_id = metadata_.current_snapshot_id;
  snapshot.sequence_number = sequence_number_;
  snapshot.timestamp_ms = timestamp_ms;
  snapshot.schema_id = metadata_.current_schema_id;
  snapshot.manifest_list = IcebergPath(log_, name_ + "-snap.avro");
  const std::string list = iceberg::WriteManifestList(
      {snapshot.id, snapshot.parent_id, snapshot.sequence_number}, manifests_);
  WEIR_RETURN_IF_ERROR(log_.store->Put(snapshot.manifest_list, list));
  int64_t total_rows = 0;
  for (const ManifestFile& manifest : manifests_) total_rows += manifest.live_rows();
  snapshot.summary = {{"operation", std::string(operation)},
                      {"added-data-files", std::to_string(added_files_)},
                      {"added-records", std::to_string(added_rows_)},
                      {"added-files-size", std::to_string(added_size_)},
                      {"deleted-data-files", std::to_string(deleted_files_)},
                      {"deleted-records", std::to_string(deleted_rows_)},
                      {"removed-files-size", std::to_string(deleted_size_)},
                      {"total-data-files", std::to_string(live_files())},
                      {"total-records", std::to_string(total_rows)},
                      {"total-files-size", std::to_string(total_size)},
                      {"total-delete-files", "0"},
                      {"total-position-deletes", "0"},
                      {"total-equality-deletes", "0"}};
  return snapshot;
}

}  // namespace weir::delta
