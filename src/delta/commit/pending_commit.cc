// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/pending_commit.h"

#include <algorithm>

#include "base/text.h"

namespace weir::delta {
namespace {

// The writer version that a feature was introduced with, for tables without feature lists.
std::optional<int32_t> LegacyWriterVersion(std::string_view feature) {
  static const std::map<std::string_view, int32_t> kVersions = {
      {"appendOnly", 2},       {"invariants", 2},    {"checkConstraints", 3}, {"changeDataFeed", 4},
      {"generatedColumns", 4}, {"columnMapping", 5}, {"identityColumns", 6},
  };
  auto it = kVersions.find(feature);
  if (it == kVersions.end()) return std::nullopt;
  return it->second;
}

}  // namespace

bool PendingCommit::IsBlindAppend() const {
  bool has_read = reads.whole_table || !reads.predicates.empty() || !reads.files.empty();
  return !has_read && std::none_of(actions.begin(), actions.end(), [](const Action& action) {
    return std::holds_alternative<RemoveFile>(action) || std::holds_alternative<AddCdcFile>(action);
  });
}

bool HasWriterFeature(const Protocol& protocol, std::string_view feature) {
  if (protocol.min_writer_version >= 7) {
    return protocol.writer_features &&
           std::find(protocol.writer_features->begin(), protocol.writer_features->end(), feature) !=
               protocol.writer_features->end();
  }
  auto version = LegacyWriterVersion(feature);
  return version && protocol.min_writer_version >= *version;
}

bool IsPropertyTrue(const Metadata& metadata, const std::string& key) {
  auto it = metadata.configuration.find(key);
  return it != metadata.configuration.end() && EqualsIgnoreCase(it->second, "true");
}

bool UsesInCommitTimestamps(const Protocol& protocol, const Metadata& metadata) {
  return HasWriterFeature(protocol, "inCommitTimestamp") &&
         IsPropertyTrue(metadata, "delta.enableInCommitTimestamps");
}

std::string CanonicalPath(std::string_view path_in_log) {
  auto decoded = PercentDecode(path_in_log);
  return decoded ? *decoded : std::string(path_in_log);
}

}  // namespace weir::delta
