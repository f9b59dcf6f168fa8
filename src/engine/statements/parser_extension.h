// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace duckdb {
struct DBConfig;
}  // namespace duckdb

namespace weir::engine {

/// Registers Weir's statements with DuckDB's parser, for every client of the database: a statement
/// that DuckDB cannot parse is given to TranslateStatement, and its translation is bound in its
/// place, in the same transaction. (A Session translates before DuckDB parses, so it also reaches
/// the few statements that DuckDB parses but cannot transform, such as ADD CONSTRAINT.) Prepared
/// statements may not have parameters in a translated statement.
void RegisterStatements(duckdb::DBConfig& config);

}  // namespace weir::engine
