// SPDX-License-Identifier: Apache-2.0
//
// The scan of a table: DuckDB's Parquet scan behind a multi-file reader of ours.
#pragma once

#include <string>

#include "duckdb/common/table_column.hpp"
#include "duckdb/function/table_function.hpp"

#include "engine/catalog/table_state.h"

namespace weir::engine {

class WeirTableEntry;

/// The setting (BOOLEAN, false) by which a table may name data files outside of its warehouse.
constexpr const char* kAllowExternalFiles = "weir_allow_external_files";

/// The scan function over `state`, bound. `name` is what messages call the table. With `entry` the
/// scan says that it reads that catalog table, which is what lets DML work on it; the entry must
/// outlive the statement. Throws DuckDB exceptions.
duckdb::TableFunction MakeTableScan(duckdb::ClientContext& context, TableStatePtr state,
                                    const std::string& name,
                                    duckdb::optional_ptr<WeirTableEntry> entry,
                                    duckdb::unique_ptr<duckdb::FunctionData>& bind_data);

/// The same in two steps, for a table function: the function without a table, and its binding to
/// one, which also gives the columns. `function` is the copy that is bound.
duckdb::TableFunction ScanFunction(duckdb::ClientContext& context);
duckdb::unique_ptr<duckdb::FunctionData> BindTableScan(duckdb::ClientContext& context,
                                                       duckdb::TableFunction& function,
                                                       TableStatePtr state, const std::string& name,
                                                       duckdb::optional_ptr<WeirTableEntry> entry,
                                                       duckdb::vector<duckdb::LogicalType>& types,
                                                       duckdb::vector<duckdb::string>& names);

/// The columns beyond a table's own: `_metadata`, and the row's position (file_index,
/// file_row_number).
duckdb::virtual_column_map_t ScanVirtualColumns();

}  // namespace weir::engine
