// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "duckdb/execution/physical_operator.hpp"
#include "duckdb/execution/physical_plan_generator.hpp"

namespace weir::engine {

/// Lets the rows of a MERGE's source be counted on their way into the join with the target, for the
/// metrics; the rows themselves pass as they are. Null when `plan` has no such join, as when
/// DuckDB knows that nothing can match.
std::shared_ptr<std::atomic<int64_t>> CountSourceRows(duckdb::PhysicalPlanGenerator& planner,
                                                      duckdb::PhysicalOperator& plan);

}  // namespace weir::engine
