// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "duckdb/common/types/value.hpp"

#include "base/result.h"
#include "delta/snapshot/snapshot.h"

namespace weir::engine {

/// The version that `AT (UNIT => value)` or a named argument asks for. `unit` is "version" (an
/// integer) or "timestamp" (a TIMESTAMP, TIMESTAMPTZ, DATE, or text in such a form), in any case; a
/// timestamp without zone is UTC. Errors: kInvalidArgument DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE
/// names the unit and the value: NULL, a negative version, text that is no timestamp, an unknown
/// unit.
Result<delta::TimeTravel> ParseAtClause(const std::string& unit, const duckdb::Value& value);

}  // namespace weir::engine
