// SPDX-License-Identifier: Apache-2.0
#include "delta/features/protocol_for.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "delta/features/versions.h"

namespace weir::delta {
namespace {

constexpr std::string_view kFeaturePrefix = "delta.feature.";
constexpr std::string_view kMinReaderVersion = "delta.minReaderVersion";
constexpr std::string_view kMinWriterVersion = "delta.minWriterVersion";
constexpr std::string_view kIgnoreDefaults = "delta.ignoreProtocolDefaults";

const std::string* FindKey(const StringMap& configuration, std::string_view key) {
  for (const auto& [name, value] : configuration) {
    if (EqualsIgnoreCase(name, key)) return &value;
  }
  return nullptr;
}

/// A version number among the properties.
Result<std::optional<int>> VersionProperty(const StringMap& configuration, std::string_view key,
                                           int highest) {
  const std::string* text = FindKey(configuration, key);
  if (text == nullptr) return std::nullopt;
  int version = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), version);
  if (error != std::errc() || end != text->data() + text->size()) {
    return Fail(InvalidArgument("DELTA_PROTOCOL_PROPERTY_NOT_INT",
                                std::string(key) + " must be an integer, found '" + *text + "'",
                                "42K06"));
  }
  if (version < 1 || version > highest) {
    return Fail(InvalidArgument(
        "DELTA_INVALID_PROTOCOL_VERSION",
        std::string(key) + " must be 1 to " + std::to_string(highest) + ", found " + *text,
        "KD004"));
  }
  return version;
}

struct RequestedVersions {
  std::optional<int> reader;
  std::optional<int> writer;
};

Result<RequestedVersions> ReadVersions(const StringMap& configuration) {
  RequestedVersions versions;
  WEIR_ASSIGN_OR_RETURN(versions.reader, VersionProperty(configuration, kMinReaderVersion,
                                                         kTableFeaturesReaderVersion));
  WEIR_ASSIGN_OR_RETURN(versions.writer, VersionProperty(configuration, kMinWriterVersion,
                                                         kTableFeaturesWriterVersion));
  return versions;
}

/// The features of `delta.feature.NAME = supported` (or, as of old, `enabled`).
Result<FeatureSet> ReadFeatureProperties(const StringMap& configuration) {
  FeatureSet features;
  std::string unknown;
  for (const auto& [key, value] : configuration) {
    if (!StartsWith(ToLowerAscii(key), kFeaturePrefix)) continue;
    std::string_view name = std::string_view(key).substr(kFeaturePrefix.size());
    if (!EqualsIgnoreCase(value, "supported") && !EqualsIgnoreCase(value, "enabled")) {
      return Fail(InvalidArgument("DELTA_UNSUPPORTED_FEATURE_STATUS",
                                  key + " must be 'supported', found '" + value + "'", "0AKDE"));
    }
    const FeatureInfo* info = FindFeature(name);
    if (info != nullptr) {
      features.Add(info->feature);
    } else {
      unknown += (unknown.empty() ? "" : ", ") + key;
    }
  }
  if (unknown.empty()) return features;
  return Fail(InvalidArgument("DELTA_UNSUPPORTED_FEATURES_IN_CONFIG",
                              "table features that Weir does not know: " + unknown, "56038"));
}

/// What metadata and schema make use of, of the features that are added without being named.
FeatureSet FeaturesInUse(const Metadata& metadata, const DataType& schema, FeatureSet supported) {
  FeatureSet features;
  for (const auto& info : AllFeatures()) {
    if (info.adoption == Adoption::kByHand) continue;
    if (info.preview && supported.Contains(*info.preview)) continue;
    if (info.is_enabled(metadata, schema)) features.Add(info.feature);
  }
  return features;
}

std::string NamesOf(FeatureSet features) {
  std::string names;
  for (const auto& info : AllFeatures()) {
    if (!features.Contains(info.feature)) continue;
    names += (names.empty() ? "" : ", ") + std::string(info.name);
  }
  return names;
}

Error NeedsManualEnablement(FeatureSet features) {
  std::string commands;
  for (const auto& info : AllFeatures()) {
    if (!features.Contains(info.feature)) continue;
    commands += " ALTER TABLE ... SET TBLPROPERTIES ('delta.feature." + std::string(info.name) +
                "' = 'supported');";
  }
  return InvalidArgument("DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT",
                         "the schema needs table features that must be added by hand: " +
                             NamesOf(features) + ". Run" + commands,
                         "42000");
}

Result<Protocol> ProtocolForNewTable(const Metadata& metadata, const DataType& schema) {
  constexpr int kDefaultReaderVersion = 1;
  constexpr int kDefaultWriterVersion = 2;
  WEIR_ASSIGN_OR_RETURN(auto versions, ReadVersions(metadata.configuration));
  WEIR_ASSIGN_OR_RETURN(auto named, ReadFeatureProperties(metadata.configuration));
  const std::string* ignore_defaults = FindKey(metadata.configuration, kIgnoreDefaults);
  bool has_defaults = ignore_defaults == nullptr || !EqualsIgnoreCase(*ignore_defaults, "true");
  int reader = versions.reader.value_or(kDefaultReaderVersion);
  int writer = versions.writer.value_or(has_defaults ? kDefaultWriterVersion : 1);
  FeatureSet supported = WithRequired(named);
  FeatureSet used = WithRequired(FeaturesInUse(metadata, schema, supported));
  return WeakestProtocol(supported | used | ImpliedFeatures(reader, writer));
}

/// Adds what a request for version numbers stands for.
Result<Protocol> WithVersions(const Protocol& current, const RequestedVersions& versions) {
  int reader = versions.reader.value_or(current.min_reader_version);
  int writer = versions.writer.value_or(current.min_writer_version);
  if (reader >= kTableFeaturesReaderVersion && writer < kTableFeaturesWriterVersion) {
    return Fail(
        InvalidArgument("DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE",
                        "reader version 3 needs writer version 7: set delta.minWriterVersion "
                        "as well",
                        "KD004"));
  }
  return WeakestProtocol(SupportedFeatures(current) | ImpliedFeatures(reader, writer));
}

Result<Protocol> ProtocolForExistingTable(const Metadata& metadata, const DataType& schema,
                                          const Protocol& current) {
  Protocol protocol = current;
  WEIR_ASSIGN_OR_RETURN(auto versions, ReadVersions(metadata.configuration));
  if (versions.reader || versions.writer) {
    WEIR_ASSIGN_OR_RETURN(protocol, WithVersions(protocol, versions));
  }
  WEIR_ASSIGN_OR_RETURN(auto named, ReadFeatureProperties(metadata.configuration));
  FeatureSet supported = SupportedFeatures(protocol) | WithRequired(named);
  FeatureSet used = WithRequired(FeaturesInUse(metadata, schema, supported));
  FeatureSet by_hand;
  for (const auto& info : AllFeatures()) {
    bool is_missing = used.Contains(info.feature) && !supported.Contains(info.feature);
    if (is_missing && info.adoption == Adoption::kNewTables) by_hand.Add(info.feature);
  }
  if (!by_hand.empty()) return Fail(NeedsManualEnablement(by_hand));
  if (SupportedFeatures(protocol).ContainsAll(supported | used)) return protocol;
  return WeakestProtocol(supported | used);
}

}  // namespace

Protocol WeakestProtocol(FeatureSet features) {
  Protocol protocol{1, 1, std::nullopt, std::nullopt};
  for (const auto& info : AllFeatures()) {
    if (!features.Contains(info.feature)) continue;
    protocol.min_reader_version = std::max(protocol.min_reader_version, info.min_reader);
    protocol.min_writer_version = std::max(protocol.min_writer_version, info.min_writer);
  }
  if (ImpliedFeatures(protocol.min_reader_version, protocol.min_writer_version) == features) {
    return protocol;
  }
  protocol.min_writer_version = kTableFeaturesWriterVersion;
  protocol.writer_features.emplace();
  if (protocol.min_reader_version >= kTableFeaturesReaderVersion)
    protocol.reader_features.emplace();
  for (const auto& info : AllFeatures()) {
    if (!features.Contains(info.feature)) continue;
    protocol.writer_features->emplace_back(info.name);
    if (protocol.reader_features && info.is_reader_writer()) {
      protocol.reader_features->emplace_back(info.name);
    }
  }
  return protocol;
}

Result<Protocol> ProtocolFor(const Metadata& metadata, const DataType& schema,
                             const Protocol* current) {
  return current == nullptr ? ProtocolForNewTable(metadata, schema)
                            : ProtocolForExistingTable(metadata, schema, *current);
}

void RemoveProtocolProperties(StringMap& configuration) {
  std::erase_if(configuration, [](const auto& property) {
    return StartsWith(ToLowerAscii(property.first), kFeaturePrefix) ||
           EqualsIgnoreCase(property.first, kMinReaderVersion) ||
           EqualsIgnoreCase(property.first, kMinWriterVersion) ||
           EqualsIgnoreCase(property.first, kIgnoreDefaults);
  });
}

Result<Protocol> ProtocolWithout(const Protocol& current, Feature feature) {
  const FeatureInfo& info = InfoOf(feature);
  std::string name(info.name);
  FeatureSet supported = SupportedFeatures(current);
  if (!supported.Contains(feature)) {
    return Fail(InvalidArgument(
        "DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT",
        "the table does not support feature '" + name + "', so there is nothing to drop", "55000"));
  }
  if (!info.is_droppable) {
    return Fail(UnsupportedFeature("DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE",
                                   "feature '" + name + "' cannot be dropped", "0AKDC"));
  }
  FeatureSet dependents;
  for (const auto& other : AllFeatures()) {
    if (supported.Contains(other.feature) && other.required.Contains(feature)) {
      dependents.Add(other.feature);
    }
  }
  if (!dependents.empty()) {
    return Fail(InvalidArgument("DELTA_FEATURE_DROP_DEPENDENT_FEATURE",
                                "feature '" + name + "' cannot be dropped while others need it: " +
                                    NamesOf(dependents) + "; drop those first",
                                "55000"));
  }
  supported.Remove(feature);
  return WeakestProtocol(supported);
}

}  // namespace weir::delta
