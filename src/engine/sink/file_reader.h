// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duckdb/execution/execution_context.hpp"
#include "duckdb/function/table_function.hpp"

#include "engine/catalog/table_entry.h"
#include "engine/catalog/table_state.h"

namespace weir::engine {

/// Reads chosen files of a table whole, with each row's position, on any number of threads. It is
/// the table's own scan over these files alone: column mapping, partition values, type changes and
/// deletion vectors come with it.
class FileReader {
 public:
  /// `files` are live files of `table`. Rows have the table's columns, then the file's place in
  /// `files` (UBIGINT) and the row's place in the file (BIGINT), then, `with_row_ids`, row id and
  /// row commit version (BIGINT). Throws.
  FileReader(duckdb::ClientContext& context, WeirTableEntry& table,
             const std::vector<delta::AddFile>& files, bool with_row_ids);
  ~FileReader();

  /// What one thread holds.
  using Local = duckdb::unique_ptr<duckdb::LocalTableFunctionState>;

  size_t MaxThreads() const;
  const duckdb::vector<duckdb::LogicalType>& types() const { return types_; }
  Local NewLocal(duckdb::ExecutionContext& context);
  /// The next rows of one file, or false at the end. `rows` has types().
  bool Next(Local& local, duckdb::DataChunk& rows);

 private:
  duckdb::ClientContext& context_;
  const TableStatePtr state_;
  duckdb::TableFunction function_{"", {}, nullptr};
  duckdb::unique_ptr<duckdb::FunctionData> bind_data_;
  duckdb::vector<duckdb::ColumnIndex> columns_;
  duckdb::vector<duckdb::LogicalType> types_;
  duckdb::unique_ptr<duckdb::GlobalTableFunctionState> global_;
};

}  // namespace weir::engine
