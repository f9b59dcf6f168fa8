// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/pending_commit.h"

#include <algorithm>

#include "base/text.h"
#include "delta/features/features.h"
#include "delta/features/property_values.h"

namespace weir::delta {
bool PendingCommit::IsBlindAppend() const {
  bool has_read = reads.whole_table || !reads.predicates.empty() || !reads.files.empty();
  return !has_read && std::none_of(actions.begin(), actions.end(), [](const Action& action) {
    return std::holds_alternative<RemoveFile>(action) || std::holds_alternative<AddCdcFile>(action);
  });
}

bool PendingCommit::HasFiles() const {
  return std::any_of(actions.begin(), actions.end(), [](const Action& action) {
    return std::holds_alternative<AddFile>(action) || std::holds_alternative<RemoveFile>(action);
  });
}

bool IsPropertyTrue(const Metadata& metadata, const std::string& key) {
  auto it = metadata.configuration.find(key);
  return it != metadata.configuration.end() && ParseBooleanProperty(it->second).value_or(false);
}

bool UsesInCommitTimestamps(const Protocol& protocol, const Metadata& metadata) {
  return IsSupported(protocol, Feature::kInCommitTimestamp) &&
         IsPropertyTrue(metadata, "delta.enableInCommitTimestamps");
}

std::string CanonicalPath(std::string_view path_in_log) {
  auto decoded = PercentDecode(path_in_log);
  return decoded ? *decoded : std::string(path_in_log);
}

}  // namespace weir::delta
