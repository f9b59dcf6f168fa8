// SPDX-License-Identifier: Apache-2.0
#include "delta/features/conditions.h"

#include <algorithm>

#include "base/text.h"

namespace weir::delta {
namespace {

const std::string* FindProperty(const Metadata& metadata, const std::string& key) {
  auto it = metadata.configuration.find(key);
  return it == metadata.configuration.end() ? nullptr : &it->second;
}

bool IsTrue(const Metadata& metadata, const std::string& key) {
  const std::string* value = FindProperty(metadata, key);
  return value != nullptr && EqualsIgnoreCase(*value, "true");
}

bool AnyColumnHas(const DataType& schema, std::string_view metadata_key) {
  return std::any_of(schema.fields().begin(), schema.fields().end(), [&](const StructField& field) {
    return field.metadata.Find(metadata_key) != nullptr;
  });
}

bool UsesType(const DataType& type, TypeKind kind) {
  switch (type.kind()) {
    case TypeKind::kStruct:
      return std::any_of(type.fields().begin(), type.fields().end(),
                         [&](const StructField& field) { return UsesType(*field.type, kind); });
    case TypeKind::kArray:
      return UsesType(*type.element(), kind);
    case TypeKind::kMap:
      return UsesType(*type.key(), kind) || UsesType(*type.value(), kind);
    default:
      return type.kind() == kind;
  }
}

/// Not inside arrays and maps: there NOT NULL is not enforced.
bool UsesInvariants(const DataType& type) {
  return std::any_of(type.fields().begin(), type.fields().end(), [](const StructField& field) {
    return !field.nullable || field.metadata.Find("delta.invariants") != nullptr ||
           UsesInvariants(*field.type);
  });
}

}  // namespace

bool HasAppendOnly(const Metadata& metadata, const DataType&) {
  return IsTrue(metadata, "delta.appendOnly");
}

bool HasInvariants(const Metadata&, const DataType& schema) { return UsesInvariants(schema); }

bool HasCheckConstraints(const Metadata& metadata, const DataType&) {
  return std::any_of(metadata.configuration.begin(), metadata.configuration.end(),
                     [](const auto& property) {
                       return StartsWith(ToLowerAscii(property.first), "delta.constraints.");
                     });
}

bool HasChangeDataFeed(const Metadata& metadata, const DataType&) {
  const std::string kKey = "delta.enableChangeDataFeed";
  return FindProperty(metadata, kKey) != nullptr
             ? IsTrue(metadata, kKey)
             : IsTrue(metadata, "delta.enableChangeDataCapture");
}

bool HasGeneratedColumns(const Metadata&, const DataType& schema) {
  return AnyColumnHas(schema, "delta.generationExpression");
}

bool HasColumnMapping(const Metadata& metadata, const DataType&) {
  const std::string* mode = FindProperty(metadata, "delta.columnMapping.mode");
  return mode != nullptr && !EqualsIgnoreCase(*mode, "none");
}

bool HasIdentityColumns(const Metadata&, const DataType& schema) {
  return AnyColumnHas(schema, "delta.identity.start");
}

bool HasColumnDefaults(const Metadata&, const DataType& schema) {
  return AnyColumnHas(schema, "CURRENT_DEFAULT");
}

bool HasRowTracking(const Metadata& metadata, const DataType&) {
  return IsTrue(metadata, "delta.enableRowTracking");
}

bool HasInCommitTimestamps(const Metadata& metadata, const DataType&) {
  return IsTrue(metadata, "delta.enableInCommitTimestamps");
}

bool HasIcebergCompatV1(const Metadata& metadata, const DataType&) {
  return IsTrue(metadata, "delta.enableIcebergCompatV1");
}

bool HasIcebergCompatV2(const Metadata& metadata, const DataType&) {
  return IsTrue(metadata, "delta.enableIcebergCompatV2");
}

bool HasIcebergCompatV3(const Metadata& metadata, const DataType&) {
  return IsTrue(metadata, "delta.enableIcebergCompatV3");
}

bool HasIcebergWriterCompatV1(const Metadata& metadata, const DataType&) {
  return IsTrue(metadata, "delta.enableIcebergWriterCompatV1");
}

bool HasMaterializedPartitionColumns(const Metadata& metadata, const DataType&) {
  return IsTrue(metadata, "delta.enableMaterializePartitionColumnsFeature");
}

bool HasCommitCoordinator(const Metadata& metadata, const DataType&) {
  return FindProperty(metadata, "delta.coordinatedCommits.commitCoordinator-preview") != nullptr;
}

bool HasDeletionVectors(const Metadata& metadata, const DataType&) {
  return IsTrue(metadata, "delta.enableDeletionVectors");
}

bool HasTimestampNtz(const Metadata&, const DataType& schema) {
  return UsesType(schema, TypeKind::kTimestampNtz);
}

bool HasV2Checkpoints(const Metadata& metadata, const DataType&) {
  const std::string* policy = FindProperty(metadata, "delta.checkpointPolicy");
  return policy != nullptr && EqualsIgnoreCase(*policy, "v2");
}

bool HasTypeWidening(const Metadata& metadata, const DataType&) {
  return IsTrue(metadata, "delta.enableTypeWidening");
}

bool HasVariant(const Metadata&, const DataType& schema) {
  return UsesType(schema, TypeKind::kVariant);
}

bool HasVariantShredding(const Metadata& metadata, const DataType&) {
  return IsTrue(metadata, "delta.enableVariantShredding");
}

}  // namespace weir::delta
