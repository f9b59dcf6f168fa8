// SPDX-License-Identifier: Apache-2.0
#include "delta/snapshot/reader_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace weir::delta {
namespace {

constexpr int32_t kTableFeaturesReaderVersion = 3;

constexpr std::array<std::string_view, 11> kReaderFeatures = {
    "columnMapping",       "deletionVectors",      "timestampNtz",
    "typeWidening",        "typeWidening-preview", "v2Checkpoint",
    "vacuumProtocolCheck", "variantShredding",     "variantShredding-preview",
    "variantType",         "variantType-preview"};

}  // namespace

Status CheckReadable(std::string_view table, const Protocol& protocol) {
  if (protocol.min_reader_version > kTableFeaturesReaderVersion) {
    return Fail(UnsupportedFeature(
        "DELTA_INVALID_PROTOCOL_VERSION",
        fmt::format("{}: the table needs reader version {}, this build reads versions up to {}",
                    table, protocol.min_reader_version, kTableFeaturesReaderVersion),
        "KD004"));
  }
  if (protocol.min_reader_version < kTableFeaturesReaderVersion || !protocol.reader_features)
    return {};
  std::string unknown;
  for (const auto& feature : *protocol.reader_features) {
    if (std::find(kReaderFeatures.begin(), kReaderFeatures.end(), feature) !=
        kReaderFeatures.end()) {
      continue;
    }
    unknown += (unknown.empty() ? "" : ", ") + feature;
  }
  if (unknown.empty()) return {};
  return Fail(UnsupportedFeature(
      "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
      fmt::format("{}: the table needs reader features that this build does not have: {}", table,
                  unknown),
      "56038"));
}

}  // namespace weir::delta
