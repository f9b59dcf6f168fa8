// SPDX-License-Identifier: Apache-2.0
//
// Expressions stand in a table's log in Spark's SQL. Nearly all words mean the same to DuckDB, but
// texts and names are quoted otherwise: 'it\'s' and `a b` there, 'it''s' and "a b" here.
#pragma once

#include <string>
#include <string_view>

namespace weir::engine {

/// DuckDB's SQL as Spark's: quotes, types of casts, LIKE, and functions as DuckDB prints them when
/// it has parsed them (main."substring"(v, 1, 2)).
std::string InSparkSql(std::string_view duckdb);

/// Spark's quoting as DuckDB's. Texts in double quotes are texts, and texts that stand side by side
/// are one, as in Spark.
std::string InDuckDBSql(std::string_view spark);

}  // namespace weir::engine
