// SPDX-License-Identifier: Apache-2.0
#include "delta/constraints/check_constraints.h"

#include "base/text.h"

namespace weir::delta {
namespace {

constexpr std::string_view kPrefix = "delta.constraints.";

}  // namespace

bool IsConstraintKey(std::string_view key) { return StartsWith(ToLowerAscii(key), kPrefix); }

std::string ConstraintKey(std::string_view name) {
  return std::string(kPrefix) + ToLowerAscii(name);
}

const std::string* FindConstraint(const Metadata& metadata, std::string_view name) {
  for (const auto& [key, condition] : metadata.configuration) {
    if (IsConstraintKey(key) && EqualsIgnoreCase(key.substr(kPrefix.size()), name))
      return &condition;
  }
  return nullptr;
}

StringMap Constraints(const Metadata& metadata) {
  StringMap constraints;
  for (const auto& [key, condition] : metadata.configuration) {
    if (IsConstraintKey(key)) constraints[key.substr(kPrefix.size())] = condition;
  }
  return constraints;
}

}  // namespace weir::delta
