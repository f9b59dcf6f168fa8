// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "delta/features/conditions.h"
#include "delta/features/features.h"

namespace weir::delta {
namespace {

constexpr auto kWriter = FeatureKind::kWriter;
constexpr auto kReaderWriter = FeatureKind::kReaderWriter;
constexpr auto kByHand = Adoption::kByHand;
constexpr auto kNewTables = Adoption::kNewTables;
constexpr auto kAutomatic = Adoption::kAutomatic;
constexpr bool kReads = true;
constexpr bool kWrites = true;
constexpr bool kNo = false;
constexpr bool kDrops = true;
constexpr auto kNone = std::nullopt;
using enum Feature;

// clang-format off
constexpr FeatureInfo kFeatures[] = {
    // feature, name, kind, reader, writer, requires, condition, adoption, preview, reads, writes, drops
    {kAppendOnly, "appendOnly", kWriter, 1, 2, {}, HasAppendOnly, kAutomatic, kNone, kReads, kWrites, kNo},
    {kInvariants, "invariants", kWriter, 1, 2, {}, HasInvariants, kAutomatic, kNone, kReads, kWrites, kNo},
    {kCheckConstraints, "checkConstraints", kWriter, 1, 3, {}, HasCheckConstraints, kAutomatic, kNone, kReads, kWrites, kDrops},
    {kChangeDataFeed, "changeDataFeed", kWriter, 1, 4, {}, HasChangeDataFeed, kAutomatic, kNone, kReads, kWrites, kNo},
    {kGeneratedColumns, "generatedColumns", kWriter, 1, 4, {}, HasGeneratedColumns, kAutomatic, kNone, kReads, kWrites, kNo},
    {kColumnMapping, "columnMapping", kReaderWriter, 2, 5, {}, HasColumnMapping, kAutomatic, kNone, kReads, kWrites, kDrops},
    {kIdentityColumns, "identityColumns", kWriter, 1, 6, {}, HasIdentityColumns, kAutomatic, kNone, kReads, kWrites, kNo},
    {kAllowColumnDefaults, "allowColumnDefaults", kWriter, 1, 7, {}, HasColumnDefaults, kByHand, kNone, kReads, kWrites, kNo},
    {kDomainMetadata, "domainMetadata", kWriter, 1, 7, {}, nullptr, kByHand, kNone, kReads, kWrites, kDrops},
    {kRowTracking, "rowTracking", kWriter, 1, 7, {kDomainMetadata}, HasRowTracking, kAutomatic, kNone, kReads, kWrites, kDrops},
    {kInCommitTimestamp, "inCommitTimestamp", kWriter, 1, 7, {}, HasInCommitTimestamps, kAutomatic, kNone, kReads, kWrites, kDrops},
    {kIcebergCompatV1, "icebergCompatV1", kWriter, 1, 7, {kColumnMapping}, HasIcebergCompatV1, kAutomatic, kNone, kReads, kWrites, kNo},
    {kIcebergCompatV2, "icebergCompatV2", kWriter, 1, 7, {kColumnMapping}, HasIcebergCompatV2, kAutomatic, kNone, kReads, kWrites, kNo},
    {kIcebergCompatV3, "icebergCompatV3", kWriter, 1, 7, {kColumnMapping, kRowTracking}, HasIcebergCompatV3, kAutomatic, kNone, kReads, kWrites, kNo},
    {kIcebergWriterCompatV1, "icebergWriterCompatV1", kWriter, 1, 7, {kIcebergCompatV2}, HasIcebergWriterCompatV1, kAutomatic, kNone, kReads, kNo, kNo},
    {kClustering, "clustering", kWriter, 1, 7, {kDomainMetadata}, nullptr, kByHand, kNone, kReads, kWrites, kNo},
    {kCheckpointProtection, "checkpointProtection", kWriter, 1, 7, {}, nullptr, kByHand, kNone, kReads, kWrites, kDrops},
    {kMaterializePartitionColumns, "materializePartitionColumns", kWriter, 1, 7, {}, HasMaterializedPartitionColumns, kAutomatic, kNone, kReads, kWrites, kDrops},
    {kCollations, "collations", kWriter, 1, 7, {kDomainMetadata}, nullptr, kByHand, kNone, kReads, kNo, kNo},
    {kColumnMappingUsageTracking, "columnMappingUsageTracking", kWriter, 1, 7, {kColumnMapping}, nullptr, kByHand, kNone, kReads, kNo, kNo},
    {kCoordinatedCommits, "coordinatedCommits-preview", kWriter, 1, 7, {kInCommitTimestamp, kVacuumProtocolCheck}, HasCommitCoordinator, kAutomatic, kNone, kReads, kNo, kNo},
    {kDeletionVectors, "deletionVectors", kReaderWriter, 3, 7, {}, HasDeletionVectors, kAutomatic, kNone, kReads, kWrites, kDrops},
    {kTimestampNtz, "timestampNtz", kReaderWriter, 3, 7, {}, HasTimestampNtz, kNewTables, kNone, kReads, kWrites, kNo},
    {kV2Checkpoint, "v2Checkpoint", kReaderWriter, 3, 7, {}, HasV2Checkpoints, kAutomatic, kNone, kReads, kWrites, kDrops},
    {kTypeWidening, "typeWidening", kReaderWriter, 3, 7, {}, HasTypeWidening, kAutomatic, kTypeWideningPreview, kReads, kWrites, kDrops},
    {kTypeWideningPreview, "typeWidening-preview", kReaderWriter, 3, 7, {}, HasTypeWidening, kByHand, kNone, kReads, kWrites, kDrops},
    {kVariantType, "variantType", kReaderWriter, 3, 7, {}, HasVariant, kAutomatic, kVariantTypePreview, kReads, kWrites, kNo},
    {kVariantTypePreview, "variantType-preview", kReaderWriter, 3, 7, {}, HasVariant, kByHand, kNone, kReads, kWrites, kNo},
    {kVariantShredding, "variantShredding", kReaderWriter, 3, 7, {kVariantType}, HasVariantShredding, kAutomatic, kVariantShreddingPreview, kReads, kWrites, kNo},
    {kVariantShreddingPreview, "variantShredding-preview", kReaderWriter, 3, 7, {}, HasVariantShredding, kByHand, kNone, kReads, kWrites, kNo},
    {kVacuumProtocolCheck, "vacuumProtocolCheck", kReaderWriter, 3, 7, {}, nullptr, kByHand, kNone, kReads, kWrites, kDrops},
    {kCatalogManaged, "catalogManaged", kReaderWriter, 3, 7, {kInCommitTimestamp, kVacuumProtocolCheck}, nullptr, kByHand, kNone, kReads, kWrites, kNo},
    {kGeospatial, "geospatial", kReaderWriter, 3, 7, {}, nullptr, kByHand, kNone, kNo, kNo, kNo},
    {kGeospatialDev, "geospatial-dev", kReaderWriter, 3, 7, {}, nullptr, kByHand, kNone, kNo, kNo, kNo},
    {kTimestampNanos, "timestampNanos", kReaderWriter, 3, 7, {kTimestampNtz}, nullptr, kByHand, kNone, kNo, kNo, kNo},
    {kAdaptiveMetadata, "adaptiveMetadata-preview", kReaderWriter, 3, 7, {kCatalogManaged, kRowTracking, kDomainMetadata, kDeletionVectors, kColumnMapping}, nullptr, kByHand, kNone, kNo, kNo, kNo},
    {kRedirectReaderWriter, "redirectReaderWriter-preview", kReaderWriter, 3, 7, {}, nullptr, kByHand, kNone, kNo, kNo, kNo},
    {kRedirectWriterOnly, "redirectWriterOnly-preview", kWriter, 1, 7, {}, nullptr, kByHand, kNone, kReads, kNo, kNo},
};
// clang-format on

constexpr bool IsInOrder() {
  size_t index = 0;
  for (const auto& info : kFeatures) {
    if (static_cast<size_t>(info.feature) != index++) return false;
  }
  return index == kFeatureCount;
}
static_assert(IsInOrder());

}  // namespace

std::span<const FeatureInfo> AllFeatures() { return kFeatures; }

const FeatureInfo& InfoOf(Feature feature) { return kFeatures[static_cast<size_t>(feature)]; }

const FeatureInfo* FindFeature(std::string_view name) {
  if (EqualsIgnoreCase(name, "timestampWithoutTimezone")) return &InfoOf(kTimestampNtz);
  for (const auto& info : kFeatures) {
    if (EqualsIgnoreCase(info.name, name)) return &info;
  }
  return nullptr;
}

FeatureSet WithRequired(FeatureSet features) {
  FeatureSet closed = features;
  for (const auto& info : kFeatures) {
    if (features.Contains(info.feature)) closed = closed | info.required;
  }
  return closed == features ? closed : WithRequired(closed);
}

}  // namespace weir::delta
