// SPDX-License-Identifier: Apache-2.0
//
// The arguments that all functions over a change feed take: ('table', start [, end]).
#pragma once

#include <string>

#include "duckdb/common/named_parameter_map.hpp"
#include "duckdb/common/types/value.hpp"

#include "base/result.h"
#include "delta/changes/change_plan.h"
#include "engine/catalog/resolve_table.h"

namespace weir::engine {

/// The option (BOOLEAN) by which bounds behind the newest commit give an empty or shorter feed.
constexpr const char* kAllowOutOfRange = "allow_out_of_range";

/// A table and the plan of its feed. The plan is for `snapshot`, which is the newest one that this
/// transaction sees.
struct PlannedChanges {
  ResolvedTable table;
  delta::SnapshotPtr snapshot;
  delta::ChangePlan plan;
};

/// Plans what a call asks for. `inputs` are the name (or, with `by_path`, the path), the start and
/// perhaps the end. Errors: DELTA_MISSING_PATH for NULL, those of ResolveTable and PlanChanges;
/// DELTA_CDC_READ_NULL_RANGE_BOUNDARY; DELTA_TIMESTAMP_INVALID for a bound that is neither a
/// version nor a timestamp.
Result<PlannedChanges> PlanCall(duckdb::ClientContext& context, bool by_path,
                                const duckdb::vector<duckdb::Value>& inputs,
                                const duckdb::named_parameter_map_t& options);

}  // namespace weir::engine
