// SPDX-License-Identifier: Apache-2.0
//
// CHECK constraints stand in a table's properties (protocol section "CHECK Constraints"):
// `delta.constraints.NAME`, the name in lower case, holds the condition in SQL.
#pragma once

#include <string>
#include <string_view>

#include "delta/actions/actions.h"

namespace weir::delta {

/// Whether a property is a constraint.
bool IsConstraintKey(std::string_view key);

/// The property of the constraint `name`.
std::string ConstraintKey(std::string_view name);

/// The constraint's condition, or nullptr. Names compare without case.
const std::string* FindConstraint(const Metadata& metadata, std::string_view name);

/// All constraints, name to condition.
StringMap Constraints(const Metadata& metadata);

}  // namespace weir::delta
