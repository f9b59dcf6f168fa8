// SPDX-License-Identifier: Apache-2.0
//
// The rows of chosen files along a space-filling curve.
#pragma once

#include <string>
#include <vector>

#include "duckdb/main/connection.hpp"
#include "duckdb/main/query_result.hpp"

#include "delta/actions/actions.h"
#include "delta/statistics/statistics_columns.h"
#include "engine/catalog/table_state.h"

namespace duckdb {
class ExtensionLoader;
}

namespace weir::engine {

enum class Curve { kZOrder, kHilbert };

/// Which columns (logical names), and by which curve.
struct RowOrder {
  Curve curve = Curve::kZOrder;
  std::vector<delta::ColumnPath> columns;
};

/// Sorts by DuckDB, which spills what does not fit into memory. One thread takes the rows.
class OrderedRows {
 public:
  /// Rows have the table's columns and, where it tracks rows, row id and row commit version.
  /// `files` are live files of `state`'s table. Throws.
  OrderedRows(duckdb::ClientContext& context, const TableState& state,
              const std::vector<delta::AddFile>& files, const RowOrder& order, bool with_row_ids);

  /// The next rows, or null at the end.
  duckdb::unique_ptr<duckdb::DataChunk> Next();

 private:
  std::vector<duckdb::Value> Bounds(const std::vector<std::string>& keys);
  duckdb::unique_ptr<duckdb::QueryResult> Run(const std::string& sql,
                                              duckdb::vector<duckdb::Value> arguments, bool stream);

  TableStatePtr state_;
  duckdb::Connection connection_;
  duckdb::unique_ptr<duckdb::QueryResult> rows_;
};

/// Registers `weir_files(pointer)`, a scan of the TableStatePtr behind the pointer. SQL has no
/// pointers, so only this code can call it.
void RegisterFilesScan(duckdb::ExtensionLoader& loader);

}  // namespace weir::engine
