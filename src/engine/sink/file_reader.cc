// SPDX-License-Identifier: Apache-2.0
#include "engine/sink/file_reader.h"

#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/main/client_context.hpp"

#include "engine/catalog/type_mapping.h"
#include "engine/duckdb_errors.h"
#include "engine/scan/row_metadata.h"
#include "engine/scan/table_scan.h"

namespace weir::engine {
namespace {

// The table as if it had these files and no others.
TableStatePtr WithFiles(const TableState& state, const std::vector<delta::AddFile>& files) {
  std::vector<delta::Action> actions = {state.protocol(), state.metadata()};
  actions.insert(actions.end(), files.begin(), files.end());
  return OrThrow(TableState::Over(nullptr, state.log(), actions));
}

}  // namespace

FileReader::FileReader(duckdb::ClientContext& context, WeirTableEntry& table,
                       const std::vector<delta::AddFile>& files, bool with_row_ids)
    : context_(context), state_(WithFiles(*table.state(), files)) {
  function_ = MakeTableScan(context, state_, table.name, &table, bind_data_);
  // Also lets the reader know them.
  function_.get_virtual_columns(context, bind_data_.get());
  const auto& fields = state_->schema()->fields();
  for (size_t i = 0; i < fields.size(); i++) {
    columns_.emplace_back(i);
    types_.push_back(OrThrow(ToDuckDB(*fields[i].type)));
  }
  columns_.emplace_back(duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX);
  types_.push_back(duckdb::LogicalType::UBIGINT);
  columns_.emplace_back(duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER);
  types_.push_back(duckdb::LogicalType::BIGINT);
  if (with_row_ids) {
    for (const auto column : {kRowIdColumn, kRowCommitVersionColumn}) {
      columns_.emplace_back(column);
      types_.push_back(RowMetadataType(column));
    }
  }
  duckdb::TableFunctionInitInput input(bind_data_.get(), columns_, {}, nullptr);
  global_ = function_.init_global(context_, input);
}

FileReader::~FileReader() = default;

size_t FileReader::MaxThreads() const { return global_->MaxThreads(); }

FileReader::Local FileReader::NewLocal(duckdb::ExecutionContext& context) {
  duckdb::TableFunctionInitInput input(bind_data_.get(), columns_, {}, nullptr);
  return function_.init_local(context, input, global_.get());
}

bool FileReader::Next(Local& local, duckdb::DataChunk& rows) {
  rows.Reset();
  duckdb::TableFunctionInput input(bind_data_.get(), local.get(), global_.get());
  function_.function(context_, input, rows);
  return rows.size() > 0;
}

}  // namespace weir::engine
