// SPDX-License-Identifier: Apache-2.0
#include "engine/sink/file_reader.h"

#include <utility>

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
                       const std::vector<delta::AddFile>& files, bool with_row_ids, Limits limits)
    : context_(context), state_(WithFiles(*table.state(), files)) {
  function_ =
      MakeTableScan(context, state_, table.name, &table, bind_data_, std::move(limits.rows));
  // Also lets the reader know them.
  function_.get_virtual_columns(context, bind_data_.get());
  const auto read = [&](duckdb::column_t column, const duckdb::LogicalType& type) {
    columns_.emplace_back(column);
    read_types_.push_back(type);
    places_.push_back(types_.size());
    types_.push_back(type);
  };
  const auto& fields = state_->schema()->fields();
  for (size_t i = 0; i < fields.size(); i++) {
    const auto type = OrThrow(ToDuckDB(*fields[i].type));
    if (limits.unwanted.empty() || !limits.unwanted[i]) {
      read(i, type);
    } else {
      types_.push_back(type);
    }
  }
  read(duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX, duckdb::LogicalType::UBIGINT);
  read(duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER, duckdb::LogicalType::BIGINT);
  if (with_row_ids) {
    read(kRowIdColumn, RowMetadataType(kRowIdColumn));
    read(kRowCommitVersionColumn, RowMetadataType(kRowCommitVersionColumn));
  }
  duckdb::TableFunctionInitInput input(bind_data_.get(), columns_, {}, nullptr);
  global_ = function_.init_global(context_, input);
}

FileReader::~FileReader() = default;

size_t FileReader::MaxThreads() const { return global_->MaxThreads(); }

FileReader::Local FileReader::NewLocal(duckdb::ExecutionContext& context) {
  duckdb::TableFunctionInitInput input(bind_data_.get(), columns_, {}, nullptr);
  Local local;
  local.scan = function_.init_local(context, input, global_.get());
  local.read = std::make_unique<duckdb::DataChunk>();
  local.read->Initialize(context_, read_types_);
  return local;
}

bool FileReader::Next(Local& local, duckdb::DataChunk& rows) {
  local.read->Reset();
  duckdb::TableFunctionInput input(bind_data_.get(), local.scan.get(), global_.get());
  function_.function(context_, input, *local.read);
  if (local.read->size() == 0) return false;
  for (size_t i = 0, next = 0; i < types_.size(); i++) {
    if (next < places_.size() && places_[next] == i) {
      rows.data[i].Reference(local.read->data[next++]);
    } else {
      rows.data[i].Reference(duckdb::Value(types_[i]));
    }
  }
  rows.SetCardinality(local.read->size());
  return true;
}

}  // namespace weir::engine
