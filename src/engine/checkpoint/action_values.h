// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "duckdb/common/types/value.hpp"

#include "base/result.h"
#include "delta/actions/actions.h"

namespace weir::engine {

/// The action `name` that a struct value holds, judged by the parser of commits; nullopt for a
/// struct whose members are all NULL, which some writers leave where there is no action. Errors:
/// kCorruptLog.
Result<std::optional<delta::Action>> ActionFromValue(std::string_view name,
                                                     const duckdb::Value& value);

}  // namespace weir::engine
