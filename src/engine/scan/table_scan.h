// SPDX-License-Identifier: Apache-2.0
//
// The scan of a table: DuckDB's Parquet scan behind a multi-file reader of ours.
#pragma once

#include <string>

#include "duckdb/common/table_column.hpp"
#include "duckdb/function/table_function.hpp"

#include "engine/catalog/table_state.h"
#include "engine/scan/change_feed.h"
#include "engine/scan/scan_source.h"

namespace weir::engine {

class WeirTableEntry;

/// The setting (BOOLEAN, false) by which a table may name data files outside of its warehouse.
constexpr const char* kAllowExternalFiles = "weir_allow_external_files";

/// Its value.
bool ExternalFilesAllowed(duckdb::ClientContext& context);

/// The scan function over `state`, bound. `name` is what messages call the table. With `entry` the
/// scan says that it reads that catalog table, which is what lets DML work on it; the entry must
/// outlive the statement. `chosen_rows`, live ones, limit what is read. Throws DuckDB exceptions.
duckdb::TableFunction MakeTableScan(duckdb::ClientContext& context, TableStatePtr state,
                                    const std::string& name,
                                    duckdb::optional_ptr<WeirTableEntry> entry,
                                    duckdb::unique_ptr<duckdb::FunctionData>& bind_data,
                                    ChosenRows chosen_rows = {});

/// The same in two steps, for a table function: the function without a table, and its binding to
/// one, which also gives the columns. `function` is the copy that is bound.
duckdb::TableFunction ScanFunction(duckdb::ClientContext& context);
duckdb::unique_ptr<duckdb::FunctionData> BindTableScan(duckdb::ClientContext& context,
                                                       duckdb::TableFunction& function,
                                                       TableStatePtr state, const std::string& name,
                                                       duckdb::optional_ptr<WeirTableEntry> entry,
                                                       duckdb::vector<duckdb::LogicalType>& types,
                                                       duckdb::vector<duckdb::string>& names);

/// The same for a table of changes: a feed whose files are gone in part fails before its first row
/// (DELTA_CHANGE_DATA_FILE_NOT_FOUND), though only for files that no filter rules out. Files are
/// refused unless they are in the table, in `allowed_root` (the warehouse; may be empty), or
/// allowed by the setting.
duckdb::TableFunction ChangeScanFunction(duckdb::ClientContext& context);
duckdb::unique_ptr<duckdb::FunctionData> BindChangeScan(duckdb::ClientContext& context,
                                                        duckdb::TableFunction& function,
                                                        ChangeTable table, const std::string& name,
                                                        const std::string& allowed_root,
                                                        duckdb::vector<duckdb::LogicalType>& types,
                                                        duckdb::vector<duckdb::string>& names);

/// The columns beyond a table's own: `_metadata`, and the row's position (file_index,
/// file_row_number).
duckdb::virtual_column_map_t ScanVirtualColumns();

}  // namespace weir::engine
