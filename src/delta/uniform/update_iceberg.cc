// SPDX-License-Identifier: Apache-2.0
#include "delta/uniform/update_iceberg.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "delta/features/iceberg_compat.h"
#include "delta/uniform/data_file_converter.h"
#include "delta/uniform/file_changes.h"
#include "delta/uniform/iceberg_folder.h"
#include "delta/uniform/iceberg_schema.h"
#include "delta/uniform/iceberg_snapshot.h"

namespace weir::delta {
namespace {

// Beyond these it is cheaper to begin anew.
constexpr int64_t kMostCommits = 100;
// How much of the past readers can go back to.
constexpr size_t kMostSnapshots = 100;
constexpr size_t kMostMetadataFiles = 100;
constexpr int64_t kSnapshotAgeMs = 5 * 24 * 3'600'000LL;
constexpr int64_t kCleanUpInterval = 10;
constexpr bool kFromAllFiles = true;

// Name and type of every primitive field, at every level, by id.
void CollectTypes(const JsonValue& type, std::map<int64_t, std::string>& types);

void CollectPart(const JsonValue& type, const char* id_key, const char* type_key,
                 std::map<int64_t, std::string>& types) {
  const JsonValue* id = type.Find(id_key);
  const JsonValue* part = type.Find(type_key);
  if (id == nullptr || part == nullptr || !id->AsInt64()) return;
  if (part->is_string()) types[*id->AsInt64()] = part->text();
  CollectTypes(*part, types);
}

void CollectTypes(const JsonValue& type, std::map<int64_t, std::string>& types) {
  const JsonValue* fields = type.is_array() ? &type : type.Find("fields");
  if (fields != nullptr) {
    for (const JsonValue& field : fields->items()) CollectPart(field, "id", "type", types);
  }
  CollectPart(type, "element-id", "element", types);
  CollectPart(type, "key-id", "key", types);
  CollectPart(type, "value-id", "value", types);
}

bool HasSameTypes(const JsonValue& old_fields, const JsonValue& new_fields) {
  std::map<int64_t, std::string> old_types;
  std::map<int64_t, std::string> new_types;
  CollectTypes(old_fields, old_types);
  CollectTypes(new_fields, new_types);
  return std::all_of(new_types.begin(), new_types.end(), [&](const auto& field) {
    const auto found = old_types.find(field.first);
    return found == old_types.end() || found->second == field.second;
  });
}

bool HasSamePartitions(const std::vector<iceberg::PartitionField>& a,
                       const std::vector<iceberg::PartitionField>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.source_id == y.source_id; });
}

class Conversion {
 public:
  Conversion(const Snapshot& snapshot, std::optional<IcebergState> base,
             bool from_all_files = false)
      : snapshot_(snapshot),
        log_(snapshot.log()),
        base_(std::move(base)),
        from_all_files_(from_all_files) {}

  Status Run() {
    WEIR_RETURN_IF_ERROR(BeginMetadata());
    bool is_done = false;
    if (can_continue_ && !from_all_files_) {
      auto status = Continue();
      is_done = status && *status;
    }
    if (!is_done) WEIR_RETURN_IF_ERROR(BeginAnew());
    return Publish();
  }

 private:
  // The new metadata file but for the snapshot, and whether manifests may be taken over.
  Status BeginMetadata() {
    WEIR_ASSIGN_OR_RETURN(IcebergSchema schema,
                          ToIcebergSchema(*snapshot_.schema(), snapshot_.metadata()));
    if (base_) {
      metadata_ = base_->metadata;
      metadata_.metadata_log.push_back({metadata_.last_updated_ms, base_->path});
    } else {
      metadata_.uuid = snapshot_.metadata().id;
    }
    metadata_.location = log_.root;
    metadata_.last_updated_ms = std::max(metadata_.last_updated_ms, snapshot_.timestamp_ms());
    metadata_.last_column_id = std::max(metadata_.last_column_id, schema.last_column_id);
    const std::string* table_id = metadata_.FindProperty(kDeltaTableId);
    can_continue_ = base_ && table_id != nullptr && *table_id == snapshot_.metadata().id &&
                    snapshot_.version() - base_->version <= kMostCommits;
    SetSpec(schema);
    SetSchema(schema.fields);
    SetProperties(schema);
    return {};
  }

  void SetSpec(IcebergSchema& schema) {
    const auto current =
        std::find_if(metadata_.specs.begin(), metadata_.specs.end(),
                     [&](const auto& spec) { return spec.id == metadata_.default_spec_id; });
    if (current != metadata_.specs.end() &&
        HasSamePartitions(current->fields, schema.partition_fields)) {
      for (size_t i = 0; i < schema.partition_fields.size(); ++i)
        schema.partition_fields[i].field_id = current->fields[i].field_id;
      spec_ = {current->id, std::move(schema.partition_fields)};
      *current = spec_;
      return;
    }
    // Files of two specs are never in one snapshot, and older snapshots are not worth two.
    can_continue_ = false;
    ForgetSnapshots();
    metadata_.default_spec_id = metadata_.specs.empty() ? 0 : metadata_.default_spec_id + 1;
    for (iceberg::PartitionField& field : schema.partition_fields)
      field.field_id = ++metadata_.last_partition_id;
    spec_ = {metadata_.default_spec_id, std::move(schema.partition_fields)};
    metadata_.specs = {spec_};
  }

  void ForgetSnapshots() {
    metadata_.current_snapshot_id.reset();
    metadata_.snapshots.clear();
    metadata_.snapshot_log.clear();
  }

  void SetSchema(const JsonValue& fields) {
    if (const iceberg::Schema* current = metadata_.FindSchema(metadata_.current_schema_id);
        current != nullptr && !HasSameTypes(current->fields, fields))
      can_continue_ = false;
    int next = 0;
    for (const iceberg::Schema& schema : metadata_.schemas) {
      next = std::max(next, schema.id + 1);
      if (!(schema.fields == fields)) continue;
      metadata_.current_schema_id = schema.id;
      return;
    }
    metadata_.schemas.push_back({next, fields});
    metadata_.current_schema_id = next;
  }

  void SetProperties(const IcebergSchema& schema) {
    metadata_.properties = {{kDeltaVersion, std::to_string(snapshot_.version())},
                            {kDeltaTimestamp, std::to_string(snapshot_.timestamp_ms())},
                            {kDeltaTableId, snapshot_.metadata().id},
                            {"schema.name-mapping.default", schema.name_mapping.ToString()}};
  }

  // From the base and the commits behind it. False when the outcome is not the table's files.
  Result<bool> Continue() {
    WEIR_ASSIGN_OR_RETURN(const FileChanges changes,
                          ReadFileChanges(log_, base_->version + 1, snapshot_.version()));
    IcebergSnapshotWriter writer(log_, metadata_, spec_);
    if (changes.added.empty() && changes.removed.empty())
      return CountFiles() == static_cast<int64_t>(snapshot_.files().size());
    WEIR_RETURN_IF_ERROR(writer.TakeOver(changes.removed));
    DataFileConverter converter(snapshot_);
    for (const auto& [path, add] : changes.added) {
      WEIR_ASSIGN_OR_RETURN(iceberg::DataFile file, converter.Convert(add));
      WEIR_RETURN_IF_ERROR(writer.Add(std::move(file)));
    }
    if (writer.live_files() != static_cast<int64_t>(snapshot_.files().size())) return false;
    if (!writer.has_changes()) return true;
    const char* operation = "overwrite";
    if (!changes.has_data_change) {
      operation = "replace";
    } else if (writer.deleted_files() == 0) {
      operation = "append";
    } else if (writer.added_files() == 0) {
      operation = "delete";
    }
    WEIR_RETURN_IF_ERROR(AddSnapshot(writer, operation));
    return true;
  }

  // Files of the snapshot that is there already, by its own account.
  int64_t CountFiles() const {
    const iceberg::Snapshot* current = metadata_.current_snapshot();
    if (current == nullptr) return 0;
    const auto total = current->summary.find("total-data-files");
    return total == current->summary.end() ? -1 : std::atoll(total->second.c_str());
  }

  Status BeginAnew() {
    const bool has_former = metadata_.current_snapshot() != nullptr;
    if (snapshot_.files().size() == 0 && !has_former) return {};
    WEIR_RETURN_IF_ERROR(snapshot_.files().LoadStats());
    IcebergSnapshotWriter writer(log_, metadata_, spec_);
    DataFileConverter converter(snapshot_);
    for (size_t i = 0; i < snapshot_.files().size(); ++i) {
      WEIR_ASSIGN_OR_RETURN(iceberg::DataFile file, converter.Convert(snapshot_.files().Get(i)));
      WEIR_RETURN_IF_ERROR(writer.Add(std::move(file)));
    }
    return AddSnapshot(writer, has_former ? "overwrite" : "append");
  }

  Status AddSnapshot(IcebergSnapshotWriter& writer, const char* operation) {
    WEIR_ASSIGN_OR_RETURN(
        iceberg::Snapshot added,
        writer.Finish(operation, snapshot_.files().total_size(), metadata_.last_updated_ms));
    metadata_.last_sequence_number = added.sequence_number;
    metadata_.current_snapshot_id = added.id;
    metadata_.snapshot_log.push_back({added.timestamp_ms, added.id});
    metadata_.snapshots.push_back(std::move(added));
    return {};
  }

  // Drops what is older than readers may count on.
  void Expire() {
    const int64_t oldest = log_.clock->NowMillis() - kSnapshotAgeMs;
    auto& snapshots = metadata_.snapshots;
    while (snapshots.size() > 1 &&
           (snapshots.size() > kMostSnapshots || snapshots.front().timestamp_ms < oldest))
      snapshots.erase(snapshots.begin());
    std::erase_if(metadata_.snapshot_log, [&](const iceberg::SnapshotLogEntry& entry) {
      return std::none_of(snapshots.begin(), snapshots.end(),
                          [&](const auto& each) { return each.id == entry.snapshot_id; });
    });
    std::erase_if(metadata_.schemas, [&](const iceberg::Schema& schema) {
      return schema.id != metadata_.current_schema_id &&
             std::none_of(snapshots.begin(), snapshots.end(),
                          [&](const auto& each) { return each.schema_id == schema.id; });
    });
    auto& files = metadata_.metadata_log;
    if (files.size() > kMostMetadataFiles)
      files.erase(files.begin(), files.end() - static_cast<std::ptrdiff_t>(kMostMetadataFiles));
  }

  Status Publish() {
    Expire();
    const int64_t version = snapshot_.version();
    const Status put = log_.store->PutIfAbsent(IcebergPath(log_, IcebergMetadataName(version)),
                                               iceberg::SerializeTableMetadata(metadata_));
    // Another writer's file for the same version shows the same rows.
    if (!put && put.error().kind != ErrorKind::kAlreadyExists) return put;
    WEIR_RETURN_IF_ERROR(PointAtNewest(log_, version));
    if (!put || version % kCleanUpInterval != 0) return {};
    return CleanUpIcebergFolder(log_, metadata_, version);
  }

  const Snapshot& snapshot_;
  const TableLog& log_;
  std::optional<IcebergState> base_;
  const bool from_all_files_;
  iceberg::TableMetadata metadata_;
  iceberg::PartitionSpec spec_;
  bool can_continue_ = false;
};

Status CheckConvertible(const Snapshot& snapshot) {
  if (!HasIcebergRowIds(snapshot.metadata())) return {};
  return Fail(UnsupportedFeature("DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED",
                                 "iceberg: metadata for IcebergCompatV3 is not written", "KD00E"));
}

}  // namespace

Status UpdateIcebergMetadata(const Snapshot& snapshot) {
  if (!IsUniformEnabled(snapshot.metadata())) return {};
  WEIR_RETURN_IF_ERROR(CheckConvertible(snapshot));
  const TableLog& log = snapshot.log();
  WEIR_ASSIGN_OR_RETURN(std::optional<IcebergState> base, FindIcebergState(log));
  while (base && base->version >= snapshot.version()) {
    WEIR_ASSIGN_OR_RETURN(const SnapshotPtr newest, snapshot.Update());
    const std::string* table_id = base->metadata.FindProperty(kDeltaTableId);
    const bool is_of_this_table = table_id != nullptr && *table_id == newest->metadata().id;
    if (is_of_this_table && base->version <= newest->version()) return {};
    // Left by a table that was in this folder before.
    WEIR_RETURN_IF_ERROR(log.store->Delete(base->path));
    WEIR_ASSIGN_OR_RETURN(base, FindIcebergState(log));
  }
  return Conversion(snapshot, std::move(base)).Run();
}

Status RewriteIcebergMetadata(const Snapshot& snapshot) {
  WEIR_RETURN_IF_ERROR(CheckConvertible(snapshot));
  const TableLog& log = snapshot.log();
  WEIR_ASSIGN_OR_RETURN(std::optional<IcebergState> base, FindIcebergState(log));
  while (base && base->version >= snapshot.version()) {
    WEIR_RETURN_IF_ERROR(log.store->Delete(base->path));
    WEIR_ASSIGN_OR_RETURN(base, FindIcebergState(log));
  }
  return Conversion(snapshot, std::move(base), kFromAllFiles).Run();
}

}  // namespace weir::delta
