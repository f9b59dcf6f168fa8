// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "delta/features/features.h"
#include "delta/features/versions.h"

namespace weir::delta {
namespace {

using Names = std::vector<std::string>;

const Names kNoNames;

const Names& ReaderNames(const Protocol& protocol) {
  return protocol.reader_features ? *protocol.reader_features : kNoNames;
}

const Names& WriterNames(const Protocol& protocol) {
  return protocol.writer_features ? *protocol.writer_features : kNoNames;
}

bool Lists(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string Versions(const Protocol& protocol) {
  return "minReaderVersion " + std::to_string(protocol.min_reader_version) + ", minWriterVersion " +
         std::to_string(protocol.min_writer_version);
}

std::string Joined(const Names& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

Error Contradiction(const Protocol& protocol, const std::string& what) {
  return CorruptLog("DELTA_INVALID_PROTOCOL",
                    "the table's protocol (" + Versions(protocol) + ") contradicts itself: " + what,
                    "KD004");
}

Error VersionOutOfRange(const Protocol& protocol) {
  return UnsupportedFeature(
      "DELTA_INVALID_PROTOCOL_VERSION",
      "the table's protocol is " + Versions(protocol) + "; supported are reader versions 1 to " +
          std::to_string(kTableFeaturesReaderVersion) + " and writer versions 1 to " +
          std::to_string(kTableFeaturesWriterVersion),
      "KD004");
}

Error Unsupported(std::string name, std::string_view role, const Names& features) {
  return UnsupportedFeature(std::move(name),
                            "the table needs " + std::string(role) +
                                " features that Weir does not support: " + Joined(features),
                            "56038");
}

/// An empty list where there must be none does no harm and is let pass.
Status CheckLists(const Protocol& protocol) {
  bool has_reader_lists = protocol.min_reader_version >= kTableFeaturesReaderVersion;
  bool has_writer_lists = protocol.min_writer_version >= kTableFeaturesWriterVersion;
  if (has_reader_lists && !has_writer_lists) {
    return Fail(CorruptLog("DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE",
                           "reader features need minWriterVersion 7, found " + Versions(protocol),
                           "KD004"));
  }
  if (has_reader_lists != protocol.reader_features.has_value() &&
      (has_reader_lists || !ReaderNames(protocol).empty())) {
    return Fail(Contradiction(protocol, "readerFeatures belong to minReaderVersion 3 and up"));
  }
  if (has_writer_lists != protocol.writer_features.has_value() &&
      (has_writer_lists || !WriterNames(protocol).empty())) {
    return Fail(Contradiction(protocol, "writerFeatures belong to minWriterVersion 7 and up"));
  }
  return {};
}

/// A reader-writer feature is in both lists. Only the legacy one, columnMapping, which reader
/// version 2 implies, is also found in writerFeatures alone: Spark has written such protocols.
Status CheckMembership(const Protocol& protocol) {
  for (const auto& name : ReaderNames(protocol)) {
    const FeatureInfo* info = FindFeature(name);
    if (info != nullptr && !info->is_reader_writer()) {
      return Fail(
          Contradiction(protocol, "'" + name + "' is for writers only, but in readerFeatures"));
    }
    if (!Lists(WriterNames(protocol), name)) {
      return Fail(
          Contradiction(protocol, "'" + name + "' is in readerFeatures but not in writerFeatures"));
    }
  }
  for (const auto& name : WriterNames(protocol)) {
    const FeatureInfo* info = FindFeature(name);
    if (info == nullptr || !info->is_reader_writer()) continue;
    bool is_implied = info->is_legacy() && info->min_reader <= protocol.min_reader_version;
    if (!is_implied && !Lists(ReaderNames(protocol), name)) {
      return Fail(
          Contradiction(protocol, "'" + name + "' is in writerFeatures but not in readerFeatures"));
    }
  }
  return {};
}

}  // namespace

FeatureSet SupportedFeatures(const Protocol& protocol) {
  FeatureSet features = ImpliedFeatures(protocol.min_reader_version, protocol.min_writer_version);
  for (const Names* names : {&ReaderNames(protocol), &WriterNames(protocol)}) {
    for (const auto& name : *names) {
      const FeatureInfo* info = FindFeature(name);
      if (info != nullptr) features.Add(info->feature);
    }
  }
  return features;
}

FeatureSet ImpliedFeatures(int reader_version, int writer_version) {
  FeatureSet features;
  if (writer_version >= kTableFeaturesWriterVersion) return features;
  for (const auto& info : AllFeatures()) {
    if (info.is_legacy() && info.min_reader <= reader_version &&
        info.min_writer <= writer_version) {
      features.Add(info.feature);
    }
  }
  return features;
}

bool IsSupported(const Protocol& protocol, Feature feature) {
  return SupportedFeatures(protocol).Contains(feature);
}

bool IsEnabled(Feature feature, const Metadata& metadata, const DataType& schema) {
  const FeatureInfo& info = InfoOf(feature);
  return info.is_enabled == nullptr || info.is_enabled(metadata, schema);
}

bool IsActive(Feature feature, const Protocol& protocol, const Metadata& metadata,
              const DataType& schema) {
  return IsSupported(protocol, feature) && IsEnabled(feature, metadata, schema);
}

Status CheckReadable(const Protocol& protocol) {
  if (protocol.min_reader_version < 1 ||
      protocol.min_reader_version > kTableFeaturesReaderVersion) {
    return Fail(VersionOutOfRange(protocol));
  }
  WEIR_RETURN_IF_ERROR(CheckLists(protocol));
  WEIR_RETURN_IF_ERROR(CheckMembership(protocol));
  Names unsupported;
  for (const auto& name : ReaderNames(protocol)) {
    const FeatureInfo* info = FindFeature(name);
    if (info == nullptr || !info->can_read) unsupported.push_back(name);
  }
  if (unsupported.empty()) return {};
  return Fail(Unsupported("DELTA_UNSUPPORTED_FEATURES_FOR_READ", "reader", unsupported));
}

Status CheckWritable(const Protocol& protocol, const Metadata& metadata, const DataType& schema) {
  WEIR_RETURN_IF_ERROR(CheckReadable(protocol));
  if (protocol.min_writer_version < 1 ||
      protocol.min_writer_version > kTableFeaturesWriterVersion) {
    return Fail(VersionOutOfRange(protocol));
  }
  Names unsupported;
  for (const auto& name : WriterNames(protocol)) {
    if (FindFeature(name) == nullptr) unsupported.push_back(name);
  }
  FeatureSet supported = SupportedFeatures(protocol);
  for (const auto& info : AllFeatures()) {
    if (!info.can_write && supported.Contains(info.feature) &&
        IsEnabled(info.feature, metadata, schema)) {
      unsupported.emplace_back(info.name);
    }
  }
  if (unsupported.empty()) return {};
  return Fail(Unsupported("DELTA_UNSUPPORTED_FEATURES_FOR_WRITE", "writer", unsupported));
}

}  // namespace weir::delta
