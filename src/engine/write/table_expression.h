// SPDX-License-Identifier: Apache-2.0
//
// Expressions that stand in a table's log: CHECK constraints, column invariants, generated columns.
// They are written in Spark's SQL; what DuckDB understands the same way is evaluated, anything else
// makes the table unwritable.
#pragma once

#include <string>
#include <vector>

#include "duckdb/parser/parsed_expression.hpp"
#include "duckdb/planner/expression.hpp"

#include "engine/catalog/table_entry.h"

namespace weir::engine {

/// An expression over the table's columns, bound: each is a reference to its place, `s.a` a field
/// of a struct. The result is cast to `type`, or is what it is for INVALID. Throws as DuckDB's
/// binder.
duckdb::unique_ptr<duckdb::Expression> BindOverColumns(
    duckdb::ClientContext& context, const WeirTableEntry& table,
    duckdb::unique_ptr<duckdb::ParsedExpression> parsed, const duckdb::LogicalType& type);

/// A named condition that must be true (not NULL) for every row.
struct RowRule {
  const char* error = "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES";  ///< Of a row that breaks it.
  std::string name;
  std::string text;  ///< As in the log.
  duckdb::unique_ptr<duckdb::Expression> condition;
};

/// A column that is computed from others.
struct GeneratedColumn {
  size_t column = 0;
  duckdb::unique_ptr<duckdb::Expression> value;
};

/// All rules of a table: `delta.constraints.*`, `delta.invariants`, and that generated columns hold
/// what their expressions give. Conditions are over the table's columns. Throws kUnsupportedFeature
/// DELTA_UNSUPPORTED_EXPRESSION for one that DuckDB cannot parse or bind.
std::vector<RowRule> BindRowRules(duckdb::ClientContext& context, const WeirTableEntry& table);

/// The rule that new rows satisfy the condition of a REPLACE WHERE.
RowRule BindReplaceCondition(duckdb::ClientContext& context, const WeirTableEntry& table,
                             const std::string& condition);

std::vector<GeneratedColumn> BindGeneratedColumns(duckdb::ClientContext& context,
                                                  const WeirTableEntry& table);

/// The condition in a `delta.invariants`, {"expression":{"expression":"x > 3"}}; what has not that
/// form is the condition itself.
std::string InvariantText(const std::string& json);

/// Whether the field's values come from `delta.generationExpression`.
bool IsGenerated(const delta::StructField& field);

}  // namespace weir::engine
