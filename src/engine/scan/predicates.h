// SPDX-License-Identifier: Apache-2.0
//
// DuckDB's filters as conditions that partition values and statistics can decide. What has no such
// form becomes Predicate::Unknown(), which keeps every file.
#pragma once

#include <functional>
#include <optional>

#include "duckdb/planner/expression.hpp"
#include "duckdb/planner/table_filter.hpp"

#include "delta/schema/types.h"
#include "delta/statistics/predicate.h"

namespace weir::engine {

/// A column of a table, or a field inside of one.
struct ColumnTarget {
  delta::ColumnPath path;
  const delta::DataType* type = nullptr;
};

/// Says which column a column reference (bound by table index or by position) means; nullopt for
/// one that is no column of the table.
using ColumnResolver = std::function<std::optional<ColumnTarget>(const duckdb::Expression&)>;

/// A bound boolean expression.
delta::PredicatePtr ToPredicate(const duckdb::Expression& expression,
                                const ColumnResolver& resolve);

/// A filter on one column that was pushed into the scan, with its state of this moment (run-time
/// join and top-N filters).
delta::PredicatePtr ToPredicate(const duckdb::TableFilter& filter, const ColumnTarget& column);

}  // namespace weir::engine
