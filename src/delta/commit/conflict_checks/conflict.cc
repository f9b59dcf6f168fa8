// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/conflict_checks/conflict.h"

#include <array>

namespace weir::delta {

const CommitInfo* WinningCommit::info() const {
  for (const auto& action : actions) {
    if (const auto* info = std::get_if<CommitInfo>(&action)) return info;
  }
  return nullptr;
}

std::string WinningCommit::Describe() const {
  std::string text = "version " + std::to_string(version);
  auto operation = info() ? info()->operation() : std::nullopt;
  return operation ? text + " (" + *operation + ")" : text;
}

bool WinningCommit::is_blind_append() const {
  const JsonValue* member = info() ? info()->members.Find("isBlindAppend") : nullptr;
  return member && member->is_bool() && member->bool_value();
}

std::span<const ConflictCheck> AllConflictChecks() {
  static constexpr std::array kChecks = {
      CheckProtocolChanged,        CheckMetadataChanged,  CheckDomainMetadata,
      CheckApplicationTransaction, CheckConcurrentAppend, CheckConcurrentDeleteRead,
      CheckConcurrentDeleteDelete,
  };
  return kChecks;
}

Error Conflict(std::string_view name, const WinningCommit& winner, std::string_view what) {
  return ConflictFinal(std::string(name),
                       "another writer has committed " + winner.Describe() + ", which " +
                           std::string(what) +
                           ". Nothing was written; run the operation again on the new version.",
                       "2D521");
}

}  // namespace weir::delta
