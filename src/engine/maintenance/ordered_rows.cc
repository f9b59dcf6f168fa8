// SPDX-License-Identifier: Apache-2.0
#include "engine/maintenance/ordered_rows.h"

#include <algorithm>
#include <utility>

#include "duckdb.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/main/prepared_statement.hpp"

#include "base/text.h"
#include "engine/duckdb_errors.h"
#include "engine/maintenance/curve_key.h"
#include "engine/scan/table_scan.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

// Enough for bounds that cut the rows into ranges of nearly equal size.
constexpr int kSampledRows = 50'000;

// The table as if it had these files and no others.
TableStatePtr WithFiles(const TableState& state, const std::vector<delta::AddFile>& files) {
  std::vector<delta::Action> actions = {state.protocol(), state.metadata()};
  actions.insert(actions.end(), files.begin(), files.end());
  return OrThrow(TableState::Over(nullptr, state.log(), actions));
}

duckdb::unique_ptr<duckdb::FunctionData> BindFiles(duckdb::ClientContext& context,
                                                   duckdb::TableFunctionBindInput& input,
                                                   duckdb::vector<LogicalType>& types,
                                                   duckdb::vector<duckdb::string>& names) {
  const auto* state = reinterpret_cast<const TableStatePtr*>(input.inputs[0].GetPointer());
  return BindTableScan(context, input.table_function, *state, (*state)->log().root, nullptr, types,
                       names);
}

std::string ColumnSql(const delta::ColumnPath& path) {
  std::string sql = "t";
  for (const std::string& name : path) sql += "." + QuoteIdentifier(name);
  return sql;
}

// The key of a short value alone would be a number; with a second one behind it it is always bytes.
std::string KeySql(const delta::ColumnPath& path) {
  return "create_sort_key(" + ColumnSql(path) + ", 'ASC NULLS FIRST', '', 'ASC NULLS FIRST')";
}

// Ascending and distinct.
Value Quantiles(std::vector<std::string> keys) {
  std::sort(keys.begin(), keys.end());
  const size_t ranges = size_t{1} << CurveBits(1);
  duckdb::vector<Value> bounds;
  for (size_t i = 1; i < ranges && !keys.empty(); ++i) {
    const std::string& bound = keys[i * keys.size() / ranges];
    if (bounds.empty() || duckdb::StringValue::Get(bounds.back()) != bound)
      bounds.push_back(Value::BLOB_RAW(bound));
  }
  return Value::LIST(LogicalType::BLOB, std::move(bounds));
}

}  // namespace

OrderedRows::OrderedRows(duckdb::ClientContext& context, const TableState& state,
                         const std::vector<delta::AddFile>& files, const RowOrder& order,
                         bool with_row_ids)
    : state_(WithFiles(state, files)), connection_(*context.db) {
  if (ExternalFilesAllowed(context))
    Run(std::string("SET ") + kAllowExternalFiles + " = true", {}, false);
  std::string select;
  for (const delta::StructField& field : state.schema()->fields())
    select += (select.empty() ? "" : ", ") + ColumnSql({field.name});
  if (with_row_ids) select += ", t._metadata.row_id, t._metadata.row_commit_version";
  const Value files_pointer = Value::POINTER(reinterpret_cast<uintptr_t>(&state_));
  std::string key = std::string("weir_curve_key('") +
                    (order.curve == Curve::kHilbert ? "hilbert" : "zorder") + "'";
  std::vector<std::string> keys;
  for (const delta::ColumnPath& column : order.columns) keys.push_back(KeySql(column));
  duckdb::vector<Value> arguments = {files_pointer};
  for (Value& bounds : Bounds(keys)) {
    key += ", $" + std::to_string(arguments.size() + 1) + ", " + keys[arguments.size() - 1];
    arguments.push_back(std::move(bounds));
  }
  rows_ = Run("SELECT " + select + " FROM weir_files($1) AS t ORDER BY " + key + ")",
              std::move(arguments), true);
}

duckdb::unique_ptr<duckdb::DataChunk> OrderedRows::Next() {
  auto chunk = rows_->Fetch();
  if (rows_->HasError()) rows_->ThrowError();
  return chunk;
}

// Of each column the keys between which lie equal numbers of rows, as far as a sample tells.
std::vector<Value> OrderedRows::Bounds(const std::vector<std::string>& keys) {
  std::string select;
  for (const std::string& key : keys) select += (select.empty() ? "" : ", ") + key;
  const auto result = Run("SELECT " + select + " FROM weir_files($1) AS t USING SAMPLE reservoir(" +
                              std::to_string(kSampledRows) + " ROWS) REPEATABLE (1)",
                          {Value::POINTER(reinterpret_cast<uintptr_t>(&state_))}, false);
  std::vector<std::vector<std::string>> samples(keys.size());
  while (auto chunk = result->Fetch()) {
    for (size_t column = 0; column < keys.size(); ++column) {
      for (duckdb::idx_t row = 0; row < chunk->size(); ++row)
        samples[column].push_back(duckdb::StringValue::Get(chunk->GetValue(column, row)));
    }
  }
  std::vector<Value> bounds;
  for (std::vector<std::string>& sample : samples) bounds.push_back(Quantiles(std::move(sample)));
  return bounds;
}

duckdb::unique_ptr<duckdb::QueryResult> OrderedRows::Run(const std::string& sql,
                                                         duckdb::vector<Value> arguments,
                                                         bool stream) {
  auto statement = connection_.Prepare(sql);
  if (statement->HasError()) statement->error.Throw();
  auto result = statement->Execute(arguments, stream);
  if (result->HasError()) result->ThrowError();
  return result;
}

void RegisterFilesScan(duckdb::ExtensionLoader& loader) {
  duckdb::Connection connection(loader.GetDatabaseInstance());
  connection.BeginTransaction();
  auto function = ScanFunction(*connection.context);
  connection.Commit();
  function.name = "weir_files";
  function.arguments = {LogicalType::POINTER};
  function.bind = BindFiles;
  loader.RegisterFunction(std::move(function));
}

}  // namespace weir::engine
