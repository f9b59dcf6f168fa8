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

/// The options that all these functions take:
///   allow_out_of_range => true    bounds behind the newest commit give an empty or shorter feed
///   starting_version, ending_version, starting_timestamp, ending_timestamp    bounds by name
///   appends => true               the rows of added files, for which the feed need not be on; a
///                                 commit that takes rows away is an error, but for
///   ignore_deletes, ignore_changes, skip_change_commits => true    see delta::AppendPolicy
///   end_schema => true            the schema of the range's last version, not the newest
///   by_row_id => true             changes are found by row ids instead of the feed
///   snapshot => true              the rows at the last version of the range as inserts, as if that
///                                 version had made the table; see delta::ChangeReading::snapshot
///   skip_files, max_files         of the range's files in the order of table_change_files only so
///                                 many behind so many
void AddChangeOptions(duckdb::named_parameter_type_map_t& options);

constexpr const char* kByRowId = "by_row_id";

/// A table and the plan of its feed. The plan is for `snapshot`, which is the newest one that this
/// transaction sees.
struct PlannedChanges {
  ResolvedTable table;
  delta::SnapshotPtr snapshot;
  delta::ChangePlan plan;
};

/// Plans what a call asks for. `inputs` are the name (or, with `by_path`, the path), the start and
/// perhaps the end. A plan is kept for the connection's next call: the same versions are not
/// planned again, and those behind them load no old one. Errors: DELTA_MISSING_PATH for NULL, those
/// of ResolveTable and PlanChanges; DELTA_CDC_READ_NULL_RANGE_BOUNDARY; DELTA_TIMESTAMP_INVALID for
/// a bound that is neither a version nor a timestamp; WEIR_CHANGE_OPTIONS_CONTRADICT for appends
/// or snapshot with by_row_id, and for files that are counted below 0.
Result<PlannedChanges> PlanCall(duckdb::ClientContext& context, bool by_path,
                                const duckdb::vector<duckdb::Value>& inputs,
                                const duckdb::named_parameter_map_t& options);

/// The versions that a call asks for. Errors: those of PlanCall that tell of its arguments and
/// bounds.
Result<delta::ChangeRange> RangeOfCall(duckdb::ClientContext& context,
                                       const duckdb::vector<duckdb::Value>& inputs,
                                       const duckdb::named_parameter_map_t& options);

}  // namespace weir::engine
