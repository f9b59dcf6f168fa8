// SPDX-License-Identifier: Apache-2.0
//
// Between parser and binder: what Delta knows and DuckDB does not of an INSERT or MERGE. The star
// of a MERGE goes by name, and new columns of the source become columns of the table.
#pragma once

namespace duckdb {
class Binder;
class ClientContext;
class SQLStatement;
struct DBConfig;
}  // namespace duckdb

namespace weir::engine {

/// The setting that lets every INSERT and MERGE evolve the table's schema.
inline constexpr const char* kSchemaAutoMerge = "weir_schema_auto_merge";

/// Readies a statement (or what it explains) whose target is pending (write_mode.h): the names in
/// it and its target's entry become those that DuckDB binds. False, and nothing done, for any other
/// statement. A target that is no table of ours loses the marks.
///
/// Throws DELTA_MERGE_UNRESOLVED_EXPRESSION for a star whose source lacks a column of the table
/// (without evolution), DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION for one whose
/// structs have other members, DELTA_FAILED_TO_MERGE_FIELDS, DELTA_UNSUPPORTED_DATA_TYPE for a new
/// column, and what binding the source or changing the schema throws.
bool PrepareWrite(duckdb::ClientContext& context, duckdb::Binder& binder,
                  duckdb::SQLStatement& statement);

}  // namespace weir::engine
