// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duckdb/execution/execution_context.hpp"
#include "duckdb/function/table_function.hpp"

#include "engine/catalog/table_entry.h"
#include "engine/catalog/table_state.h"
#include "engine/scan/scan_source.h"

namespace weir::engine {

/// Reads chosen files of a table, with each row's position, on any number of threads. It is the
/// table's own scan over these files alone: column mapping, partition values, type changes and
/// deletion vectors come with it.
class FileReader {
 public:
  /// What is not read.
  struct Limits {
    ChosenRows rows;             ///< By place in `files`; empty for all rows.
    std::vector<bool> unwanted;  ///< Columns that are NULL instead; empty for none.
  };

  /// `files` are live files of `table`. Rows have the table's columns, then the file's place in
  /// `files` (UBIGINT) and the row's place in the file (BIGINT), then, `with_row_ids`, row id and
  /// row commit version (BIGINT). Throws.
  FileReader(duckdb::ClientContext& context, WeirTableEntry& table,
             const std::vector<delta::AddFile>& files, bool with_row_ids, Limits limits);
  ~FileReader();

  /// What one thread holds.
  struct Local {
    duckdb::unique_ptr<duckdb::LocalTableFunctionState> scan;
    std::unique_ptr<duckdb::DataChunk> read;
  };

  size_t MaxThreads() const;
  const duckdb::vector<duckdb::LogicalType>& types() const { return types_; }
  Local NewLocal(duckdb::ExecutionContext& context);
  /// The next rows of one file, or false at the end. `rows` has types() and is valid until the next
  /// call.
  bool Next(Local& local, duckdb::DataChunk& rows);

 private:
  duckdb::ClientContext& context_;
  const TableStatePtr state_;
  duckdb::TableFunction function_{"", {}, nullptr};
  duckdb::unique_ptr<duckdb::FunctionData> bind_data_;
  duckdb::vector<duckdb::ColumnIndex> columns_;
  std::vector<size_t> places_;  // of the columns that are read, in a row
  duckdb::vector<duckdb::LogicalType> read_types_;
  duckdb::vector<duckdb::LogicalType> types_;
  duckdb::unique_ptr<duckdb::GlobalTableFunctionState> global_;
};

}  // namespace weir::engine
