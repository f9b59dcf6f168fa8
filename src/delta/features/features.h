// SPDX-License-Identifier: Apache-2.0
//
// Table features (protocol section "Table Features"): what a table may need of those who read or
// write it. Everything about a feature that can be said in a line is in the one table of
// feature_table.cc; whoever teaches the engine a feature flips its column there.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "delta/actions/actions.h"
#include "delta/schema/types.h"

namespace weir::delta {

/// In the order of the table.
enum class Feature : uint8_t {
  kAppendOnly,
  kInvariants,
  kCheckConstraints,
  kChangeDataFeed,
  kGeneratedColumns,
  kColumnMapping,
  kIdentityColumns,
  kAllowColumnDefaults,
  kDomainMetadata,
  kRowTracking,
  kInCommitTimestamp,
  kIcebergCompatV1,
  kIcebergCompatV2,
  kIcebergCompatV3,
  kIcebergWriterCompatV1,
  kClustering,
  kCheckpointProtection,
  kMaterializePartitionColumns,
  kCollations,
  kColumnMappingUsageTracking,
  kCoordinatedCommits,
  kDeletionVectors,
  kTimestampNtz,
  kV2Checkpoint,
  kTypeWidening,
  kTypeWideningPreview,
  kVariantType,
  kVariantTypePreview,
  kVariantShredding,
  kVariantShreddingPreview,
  kVacuumProtocolCheck,
  kCatalogManaged,
  kGeospatial,
  kGeospatialDev,
  kTimestampNanos,
  kAdaptiveMetadata,
  kRedirectReaderWriter,
  kRedirectWriterOnly,
};

inline constexpr size_t kFeatureCount = static_cast<size_t>(Feature::kRedirectWriterOnly) + 1;

/// A set of features. A value type.
class FeatureSet {
 public:
  constexpr FeatureSet() = default;
  constexpr FeatureSet(std::initializer_list<Feature> features) {
    for (Feature feature : features) Add(feature);
  }
  constexpr void Add(Feature feature) { bits_ |= uint64_t{1} << static_cast<unsigned>(feature); }
  constexpr void Remove(Feature feature) {
    bits_ &= ~(uint64_t{1} << static_cast<unsigned>(feature));
  }
  constexpr bool Contains(Feature feature) const {
    return (bits_ >> static_cast<unsigned>(feature) & 1) != 0;
  }
  constexpr bool ContainsAll(FeatureSet other) const { return (other.bits_ & ~bits_) == 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr FeatureSet operator|(FeatureSet other) const { return FeatureSet(bits_ | other.bits_); }
  constexpr FeatureSet operator-(FeatureSet other) const {
    return FeatureSet(bits_ & ~other.bits_);
  }
  constexpr bool operator==(const FeatureSet&) const = default;

 private:
  constexpr explicit FeatureSet(uint64_t bits) : bits_(bits) {}
  uint64_t bits_ = 0;
};
static_assert(kFeatureCount <= 64);

enum class FeatureKind {
  kWriter,        ///< Only writers must know it.
  kReaderWriter,  ///< Readers too.
};

/// How a feature gets into a table's protocol.
enum class Adoption {
  kByHand,     ///< Only by `delta.feature.NAME = supported`, or because another feature needs it.
  kNewTables,  ///< By its condition when the table is created; on an existing table by hand.
  kAutomatic,  ///< By its condition at any time.
};

/// One line of the table.
struct FeatureInfo {
  Feature feature;
  std::string_view name;  ///< As in the protocol's lists.
  FeatureKind kind;
  int min_reader;
  int min_writer;       ///< Below 7: a legacy feature, implied by the version numbers alone.
  FeatureSet required;  ///< What must be supported with it.
  /// Whether metadata or schema make use of it. Null: being supported is all there is.
  bool (*is_enabled)(const Metadata& metadata, const DataType& schema);
  Adoption adoption;
  /// An older feature with the same meaning: where it is supported, this one is not added.
  std::optional<Feature> preview;
  bool can_read;      ///< Weir reads tables that use it. Always true for writer features.
  bool can_write;     ///< Weir writes to tables that use it, honouring it.
  bool is_droppable;  ///< DROP FEATURE knows how to remove its traces.

  bool is_legacy() const { return min_writer < 7; }
  bool is_reader_writer() const { return kind == FeatureKind::kReaderWriter; }
};

/// All features, in the order of the enum.
std::span<const FeatureInfo> AllFeatures();
const FeatureInfo& InfoOf(Feature feature);

/// By its name, in any case; `timestampWithoutTimezone` is an old name of timestampNtz. Nullptr:
/// unknown.
const FeatureInfo* FindFeature(std::string_view name);

/// `features` and all that they require.
FeatureSet WithRequired(FeatureSet features);

/// What a protocol supports: the features it lists and those that its legacy versions imply.
/// Unknown names are left out.
FeatureSet SupportedFeatures(const Protocol& protocol);
bool IsSupported(const Protocol& protocol, Feature feature);

/// Whether metadata and schema make use of a feature, whatever the protocol says.
bool IsEnabled(Feature feature, const Metadata& metadata, const DataType& schema);

/// Supported and enabled: the feature's rules hold for this table.
bool IsActive(Feature feature, const Protocol& protocol, const Metadata& metadata,
              const DataType& schema);

/// Whether Weir may read the table.
/// Errors: kUnsupportedFeature DELTA_UNSUPPORTED_FEATURES_FOR_READ names each feature,
/// DELTA_INVALID_PROTOCOL_VERSION for versions of the future; kCorruptLog DELTA_INVALID_PROTOCOL
/// for a protocol that contradicts itself (lists without the versions or the other way round, a
/// reader feature in one list only), DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE (reader 3 with a
/// writer below 7).
Status CheckReadable(const Protocol& protocol);

/// Whether Weir may write to the table. A feature that Weir does not write is in the way only when
/// it is active: a version 4 table without generated columns is as good as any. Errors: as
/// CheckReadable, and DELTA_UNSUPPORTED_FEATURES_FOR_WRITE.
Status CheckWritable(const Protocol& protocol, const Metadata& metadata, const DataType& schema);

}  // namespace weir::delta
