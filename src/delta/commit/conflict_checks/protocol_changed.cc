// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/conflict_checks/conflict.h"
#include "delta/features/features.h"
#include "delta/schema/types.h"

namespace weir::delta {
namespace {

// Features that ask nothing of files that were written without knowing them. What their use asks is
// in the metadata.
constexpr FeatureSet kAskNothingOfFiles = {
    Feature::kAppendOnly,           Feature::kInvariants,          Feature::kCheckConstraints,
    Feature::kChangeDataFeed,       Feature::kGeneratedColumns,    Feature::kColumnMapping,
    Feature::kIdentityColumns,      Feature::kAllowColumnDefaults, Feature::kDomainMetadata,
    Feature::kRowTracking,          Feature::kInCommitTimestamp,   Feature::kClustering,
    Feature::kCheckpointProtection, Feature::kDeletionVectors,     Feature::kTimestampNtz,
    Feature::kV2Checkpoint,         Feature::kTypeWidening,        Feature::kTypeWideningPreview,
    Feature::kVariantType,          Feature::kVariantTypePreview,  Feature::kVacuumProtocolCheck,
};

bool MayPass(const ConflictCase& conflict, const Protocol& protocol) {
  const FeatureSet before = SupportedFeatures(conflict.tip.protocol);
  const FeatureSet after = SupportedFeatures(protocol);
  if (!after.ContainsAll(before) || !kAskNothingOfFiles.ContainsAll(after - before)) return false;
  const Metadata* metadata = &conflict.tip.metadata;
  for (const auto& action : conflict.winner.actions) {
    if (const auto* changed = std::get_if<Metadata>(&action)) metadata = changed;
  }
  auto schema = ParseSchema(metadata->schema_string);
  return schema && CheckWritable(protocol, *metadata, **schema);
}

}  // namespace

/// A new protocol may demand of our commit what it does not do. Features that come and ask nothing
/// of our files do not, nor does the old one, written again (as RESTORE does); unless we set the
/// protocol ourselves.
Status CheckProtocolChanged(const ConflictCase& conflict) {
  for (const auto& action : conflict.winner.actions) {
    const auto* protocol = std::get_if<Protocol>(&action);
    if (!protocol) continue;
    const bool is_same = *protocol == conflict.tip.protocol;
    if (conflict.pending.ChangesProtocol() || !(is_same || MayPass(conflict, *protocol))) {
      return Fail(
          Conflict("DELTA_PROTOCOL_CHANGED", conflict.winner, "changed the protocol of the table"));
    }
  }
  return {};
}

}  // namespace weir::delta
