// SPDX-License-Identifier: Apache-2.0
//
// Some functions have one name and two meanings: concat('a', NULL) is NULL on Spark and 'a' in
// DuckDB, Sunday is day 1 of the week there and day 0 here. An expression of a table's log means
// what Spark means, since a value that another engine would compute otherwise breaks the table's
// rules.
#pragma once

#include <string>

#include "duckdb/parser/parsed_expression.hpp"

namespace weir::engine {

/// Rewrites the calls in `expression`, which are Spark's, so that DuckDB computes what Spark does.
/// Throws duckdb::NotImplementedException, which names the function, for one that DuckDB has by
/// this name with another meaning and cannot compute as Spark does. A function that DuckDB does not
/// have is left for the binder to refuse.
void MeanAsSpark(duckdb::unique_ptr<duckdb::ParsedExpression>& expression);

/// The one expression that `spark` is, in Spark's SQL, as one of DuckDB's with the same meaning.
/// Throws as MeanAsSpark, and duckdb::ParserException.
duckdb::unique_ptr<duckdb::ParsedExpression> ParseSpark(const std::string& spark);

/// The one expression that `sql`, DuckDB's, is. Throws duckdb::ParserException.
duckdb::unique_ptr<duckdb::ParsedExpression> ParseDuckDB(const std::string& sql);

}  // namespace weir::engine
