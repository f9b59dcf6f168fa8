// SPDX-License-Identifier: Apache-2.0
#include "delta/maintenance/feature_traces.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

#include "base/text.h"
#include "delta/commit/transaction.h"
#include "delta/deletion_vectors/deletion_vector.h"
#include "delta/features/properties.h"
#include "delta/row_tracking/row_tracking.h"
#include "delta/schema/type_changes.h"
#include "delta/snapshot/log_files.h"
#include "delta/snapshot/log_listing.h"

namespace weir::delta {
namespace {

constexpr const char* kConstraintPrefix = "delta.constraints.";
constexpr const char* kCheckpointPolicy = "delta.checkpointPolicy";

using Keys = std::initializer_list<const char*>;

constexpr Keys kInCommitTimestampKeys = {"delta.enableInCommitTimestamps",
                                         "delta.inCommitTimestampEnablementVersion",
                                         "delta.inCommitTimestampEnablementTimestamp"};
constexpr Keys kRowTrackingKeys = {"delta.enableRowTracking", "delta.rowTrackingSuspended",
                                   kMaterializedRowIdProperty,
                                   kMaterializedRowCommitVersionProperty};

JsonValue UnsetParameters(const std::string& key) {
  JsonValue parameters = JsonValue::Object();
  parameters.Set("properties",
                 JsonValue::String(JsonValue::Array({JsonValue::String(key)}).ToString()));
  parameters.Set("ifExists", JsonValue::String("true"));
  return parameters;
}

Status CommitMetadata(SnapshotPtr& snapshot, Metadata metadata, const std::string& operation,
                      JsonValue parameters) {
  WEIR_ASSIGN_OR_RETURN(const auto transaction, Transaction::Begin(snapshot));
  transaction->SetOperation(operation, std::move(parameters));
  transaction->Add(std::move(metadata));
  WEIR_RETURN_IF_ERROR(transaction->Commit());
  WEIR_ASSIGN_OR_RETURN(snapshot, snapshot->Update());
  return {};
}

// Whether there was such a property.
Result<bool> Unset(SnapshotPtr& snapshot, const std::string& key) {
  Metadata metadata = snapshot->metadata();
  if (metadata.configuration.erase(key) == 0) return false;
  WEIR_RETURN_IF_ERROR(
      CommitMetadata(snapshot, std::move(metadata), "UNSET TBLPROPERTIES", UnsetParameters(key)));
  return true;
}

bool HasVectors(const FileList& files) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (files.deletion_vector(i)) return true;
  }
  return false;
}

// Deletion vectors.

// VACUUM of a writer that knows no deletion vectors would delete the vectors that older versions
// need. Removes of their own let it see them.
Result<bool> AddVectorTombstones(SnapshotPtr& snapshot) {
  WEIR_ASSIGN_OR_RETURN(const auto tombstones, snapshot->Tombstones());
  WEIR_ASSIGN_OR_RETURN(const auto properties,
                        ParseTableProperties(snapshot->metadata().configuration));
  const int64_t now_ms = snapshot->log().clock->NowMillis();
  const int64_t oldest_ms = now_ms - properties.deleted_file_retention.count();
  const std::string root = snapshot->log().root + "/";
  std::set<std::string> known;
  std::set<std::string> wanted;
  for (const RemoveFile& remove : *tombstones) {
    if (!remove.deletion_vector) {
      known.insert(remove.path);
    } else if (remove.deletion_vector->storage_type != 'i' &&
               remove.deletion_timestamp.value_or(0) > oldest_ms) {
      WEIR_ASSIGN_OR_RETURN(const std::string path,
                            DeletionVectorPath(snapshot->log().root, *remove.deletion_vector));
      if (StartsWith(path, root)) wanted.insert(path.substr(root.size()));
    }
  }
  WEIR_ASSIGN_OR_RETURN(const auto transaction, Transaction::Begin(snapshot));
  bool is_empty = true;
  for (const std::string& path : wanted) {
    if (known.contains(path)) continue;
    RemoveFile remove;
    remove.path = path;
    remove.deletion_timestamp = now_ms;
    remove.data_change = false;
    transaction->Add(std::move(remove));
    is_empty = false;
  }
  if (is_empty) return false;
  transaction->SetOperation("Deletion Vector Tombstones", JsonValue::Object());
  WEIR_RETURN_IF_ERROR(transaction->Commit());
  WEIR_ASSIGN_OR_RETURN(snapshot, snapshot->Update());
  return true;
}

// First the property, so that nobody writes new vectors meanwhile.
Result<bool> RemoveVectors(SnapshotPtr& snapshot, FeatureRewriter& rewriter) {
  WEIR_ASSIGN_OR_RETURN(bool changed, Unset(snapshot, "delta.enableDeletionVectors"));
  if (HasVectors(snapshot->files())) {
    WEIR_RETURN_IF_ERROR(rewriter.PurgeVectors(snapshot));
    WEIR_ASSIGN_OR_RETURN(snapshot, snapshot->Update());
    changed = true;
  }
  WEIR_RETURN_IF_ERROR(AddVectorTombstones(snapshot));
  return changed;
}

// Column mapping.

bool IsPlainName(std::string_view name) {
  return name.find_first_of(" ,;{}()\n\t=") == std::string_view::npos;
}

TypePtr WithoutMapping(const TypePtr& type, std::string& bad_names) {
  switch (type->kind()) {
    case TypeKind::kStruct: {
      auto fields = type->fields();
      for (StructField& field : fields) {
        if (!IsPlainName(field.name))
          bad_names += (bad_names.empty() ? "\"" : ", \"") + field.name + "\"";
        for (const char* key : {"delta.columnMapping.id", "delta.columnMapping.physicalName",
                                "delta.columnMapping.nested.ids", "parquet.field.nested.ids"}) {
          field.metadata.Remove(key);
        }
        field.type = WithoutMapping(field.type, bad_names);
      }
      return DataType::Struct(std::move(fields));
    }
    case TypeKind::kArray:
      return DataType::Array(WithoutMapping(type->element(), bad_names), type->contains_null());
    case TypeKind::kMap: {
      auto key = WithoutMapping(type->key(), bad_names);
      return DataType::Map(std::move(key), WithoutMapping(type->value(), bad_names),
                           type->contains_null());
    }
    default:
      return type;
  }
}

Result<Metadata> MetadataWithoutMapping(const Snapshot& snapshot) {
  std::string bad_names;
  const TypePtr schema = WithoutMapping(snapshot.schema(), bad_names);
  if (!bad_names.empty()) {
    return Fail(InvalidArgument("DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING",
                                "column mapping of the table at '" + snapshot.log().root +
                                    "' cannot be removed while columns have names with one of "
                                    "' ,;{}()\\n\\t=': " +
                                    bad_names + "; rename them first",
                                "42K05"));
  }
  Metadata metadata = snapshot.metadata();
  metadata.schema_string = schema->ToJson();
  metadata.configuration.erase("delta.columnMapping.mode");
  metadata.configuration.erase("delta.columnMapping.maxColumnId");
  return metadata;
}

Result<bool> RemoveMapping(SnapshotPtr& snapshot, FeatureRewriter& rewriter) {
  WEIR_ASSIGN_OR_RETURN(const Metadata metadata, MetadataWithoutMapping(*snapshot));
  if (metadata == snapshot->metadata()) return false;
  WEIR_RETURN_IF_ERROR(rewriter.RewriteFor(snapshot, metadata, "REMOVE COLUMN MAPPING"));
  WEIR_ASSIGN_OR_RETURN(snapshot, snapshot->Update());
  return true;
}

// Type widening.

Result<bool> RemoveWidening(SnapshotPtr& snapshot, FeatureRewriter& rewriter) {
  WEIR_ASSIGN_OR_RETURN(bool changed, Unset(snapshot, "delta.enableTypeWidening"));
  const TypePtr schema = WithoutTypeChanges(snapshot->schema());
  if (schema->Equals(*snapshot->schema())) return changed;
  Metadata metadata = snapshot->metadata();
  metadata.schema_string = schema->ToJson();
  WEIR_RETURN_IF_ERROR(rewriter.RewriteFor(snapshot, metadata, "REORG"));
  WEIR_ASSIGN_OR_RETURN(snapshot, snapshot->Update());
  return true;
}

// V2 checkpoints.

Result<bool> UseClassicCheckpoints(SnapshotPtr& snapshot) {
  const std::string* policy = snapshot->FindProperty(kCheckpointPolicy);
  if (policy == nullptr || EqualsIgnoreCase(*policy, "classic")) return false;
  Metadata metadata = snapshot->metadata();
  metadata.configuration[kCheckpointPolicy] = "classic";
  JsonValue parameters = JsonValue::Object();
  parameters.Set("properties",
                 JsonValue::String("{\"" + std::string(kCheckpointPolicy) + "\":\"classic\"}"));
  WEIR_RETURN_IF_ERROR(
      CommitMetadata(snapshot, std::move(metadata), "SET TBLPROPERTIES", std::move(parameters)));
  return true;
}

// Writer features.

Result<bool> CheckNoConstraints(const Snapshot& snapshot) {
  std::string names;
  for (const auto& [key, text] : snapshot.metadata().configuration) {
    if (!StartsWith(key, kConstraintPrefix)) continue;
    names += (names.empty() ? "" : ", ") + key.substr(std::string_view(kConstraintPrefix).size());
  }
  if (names.empty()) return false;
  return Fail(InvalidArgument("DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE",
                              "the table at '" + snapshot.log().root +
                                  "' has CHECK constraints, which must be dropped first: " + names,
                              "0AKDE"));
}

// No feature is left that has a domain: what is there was forgotten.
Result<bool> RemoveDomains(SnapshotPtr& snapshot) {
  if (snapshot->domains().empty()) return false;
  WEIR_ASSIGN_OR_RETURN(const auto transaction, Transaction::Begin(snapshot));
  for (const auto& [name, domain] : snapshot->domains())
    transaction->Add(DomainMetadata{name, domain.configuration, true});
  transaction->SetOperation("DOMAIN METADATA CLEANUP", JsonValue::Object());
  WEIR_RETURN_IF_ERROR(transaction->Commit());
  WEIR_ASSIGN_OR_RETURN(snapshot, snapshot->Update());
  return true;
}

// History.

bool MetadataUses(Feature feature, const Metadata& metadata) {
  const auto schema = ParseSchema(metadata.schema_string);
  const DataType& type = schema ? **schema : *DataType::Struct({});
  const bool is_widening =
      feature == Feature::kTypeWidening || feature == Feature::kTypeWideningPreview;
  if (is_widening && !WithoutTypeChanges(schema ? *schema : DataType::Struct({}))->Equals(type))
    return true;
  const FeatureInfo& info = InfoOf(feature);
  return info.is_enabled != nullptr && info.is_enabled(metadata, type);
}

bool ActionUses(Feature feature, const Action& action) {
  if (const auto* metadata = std::get_if<Metadata>(&action))
    return MetadataUses(feature, *metadata);
  if (feature == Feature::kDeletionVectors) {
    const auto* add = std::get_if<AddFile>(&action);
    const auto* remove = std::get_if<RemoveFile>(&action);
    return (add && add->deletion_vector) || (remove && remove->deletion_vector);
  }
  return false;
}

// Only V2 checkpoints have such names.
bool HasUuidCheckpoint(const LogListing& listing) {
  return std::any_of(listing.checkpoints.begin(), listing.checkpoints.end(),
                     [](const CheckpointFiles& checkpoint) {
                       const auto name =
                           ParseLogFileName(storage::BaseName(checkpoint.files.front().path));
                       return name && name->kind == LogFileKind::kUuidCheckpoint;
                     });
}

bool StateUses(Feature feature, const Snapshot& snapshot) {
  if (MetadataUses(feature, snapshot.metadata())) return true;
  return feature == Feature::kDeletionVectors && HasVectors(snapshot.files());
}

}  // namespace

Result<bool> RemoveTraces(Feature feature, SnapshotPtr& snapshot, FeatureRewriter& rewriter) {
  switch (feature) {
    case Feature::kDeletionVectors:
      return RemoveVectors(snapshot, rewriter);
    case Feature::kColumnMapping:
      return RemoveMapping(snapshot, rewriter);
    case Feature::kTypeWidening:
    case Feature::kTypeWideningPreview:
      return RemoveWidening(snapshot, rewriter);
    case Feature::kV2Checkpoint:
      return UseClassicCheckpoints(snapshot);
    case Feature::kCheckConstraints:
      return CheckNoConstraints(*snapshot);
    case Feature::kDomainMetadata:
      return RemoveDomains(snapshot);
    default:
      return false;
  }
}

bool HasTraces(Feature feature, const Snapshot& snapshot) {
  const auto& info = InfoOf(feature);
  return info.is_reader_writer() && StateUses(feature, snapshot);
}

void RemoveLastProperties(Feature feature, Metadata& metadata) {
  const auto erase = [&](Keys keys) {
    for (const char* key : keys) metadata.configuration.erase(key);
  };
  if (feature == Feature::kInCommitTimestamp) erase(kInCommitTimestampKeys);
  if (feature == Feature::kRowTracking) erase(kRowTrackingKeys);
  if (feature == Feature::kMaterializePartitionColumns)
    erase({"delta.enableMaterializePartitionColumnsFeature"});
  if (feature == Feature::kCheckpointProtection)
    erase({"delta.requireCheckpointProtectionBeforeVersion"});
}

Result<std::vector<Action>> LastActions(Feature feature, const Snapshot& snapshot) {
  std::vector<Action> actions;
  if (feature != Feature::kRowTracking) return actions;
  const auto domain = snapshot.domains().find(std::string(kRowTrackingDomain));
  if (domain != snapshot.domains().end())
    actions.emplace_back(DomainMetadata{domain->first, domain->second.configuration, true});
  WEIR_RETURN_IF_ERROR(snapshot.files().LoadStats());
  for (size_t i = 0; i < snapshot.files().size(); ++i) {
    AddFile add = snapshot.files().Get(i);
    if (!add.base_row_id && !add.default_row_commit_version) continue;
    add.base_row_id.reset();
    add.default_row_commit_version.reset();
    add.data_change = false;
    actions.emplace_back(std::move(add));
  }
  return actions;
}

Result<bool> HistoryUses(Feature feature, const Snapshot& snapshot) {
  const TableLog& log = snapshot.log();
  WEIR_ASSIGN_OR_RETURN(const LogListing listing, ListLog(log));
  if (const auto earliest = EarliestVersion(listing)) {
    WEIR_ASSIGN_OR_RETURN(const SnapshotPtr first, Snapshot::Load(log, {*earliest, std::nullopt}));
    if (StateUses(feature, *first)) return true;
  }
  if (feature == Feature::kV2Checkpoint && HasUuidCheckpoint(listing)) return true;
  for (const DeltaFile& commit : listing.commits) {
    if (commit.version > snapshot.version()) break;
    WEIR_ASSIGN_OR_RETURN(const auto actions, ReadCommit(log, commit.version));
    for (const Action& action : actions) {
      if (ActionUses(feature, action)) return true;
    }
  }
  return false;
}

}  // namespace weir::delta
