// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/table_entry.h"

#include <utility>

#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/parser/constraints/not_null_constraint.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/storage/statistics/base_statistics.hpp"
#include "duckdb/storage/table_storage_info.hpp"

#include "delta/row_tracking/row_tracking.h"
#include "engine/catalog/schema_entry.h"
#include "engine/catalog/type_mapping.h"
#include "engine/duckdb_errors.h"
#include "engine/scan/row_metadata.h"
#include "engine/scan/table_scan.h"
#include "engine/write/spark_sql.h"

namespace weir::engine {
namespace {

constexpr const char* kCurrentDefault = "CURRENT_DEFAULT";

// A default that DuckDB cannot parse (Spark SQL) is left to the writer, which refuses to guess.
void SetDefault(duckdb::ColumnDefinition& column, const std::string& text) {
  try {
    auto expressions = duckdb::Parser::ParseExpressionList(InDuckDBSql(text));
    if (expressions.size() == 1) column.SetDefaultValue(std::move(expressions[0]));
  } catch (const duckdb::Exception&) {
  }
}

duckdb::ColumnDefinition MakeColumn(const delta::StructField& field) {
  duckdb::ColumnDefinition column(field.name, OrThrow(ToDuckDB(*field.type)));
  if (const auto* comment = field.MetadataText("comment"))
    column.SetComment(duckdb::Value(*comment));
  if (const auto* text = field.MetadataText(kCurrentDefault)) SetDefault(column, *text);
  return column;
}

}  // namespace

WeirTableEntry::WeirTableEntry(WeirSchemaEntry& schema, duckdb::CreateTableInfo& info,
                               TableStatePtr state, std::shared_ptr<ReadLog> reads)
    : TableCatalogEntry(schema.ParentCatalog(), schema, info),
      state_(std::move(state)),
      reads_(std::move(reads)) {}

std::unique_ptr<WeirTableEntry> WeirTableEntry::Make(WeirSchemaEntry& schema,
                                                     const std::string& name, TableStatePtr state,
                                                     std::shared_ptr<ReadLog> reads) {
  duckdb::CreateTableInfo info(schema, name);
  for (const auto& field : state->schema()->fields()) {
    if (!field.nullable) {
      info.constraints.push_back(duckdb::make_uniq<duckdb::NotNullConstraint>(
          duckdb::LogicalIndex(info.columns.LogicalColumnCount())));
    }
    info.columns.AddColumn(MakeColumn(field));
  }
  if (state->metadata().description) info.comment = duckdb::Value(*state->metadata().description);
  return std::unique_ptr<WeirTableEntry>(
      new WeirTableEntry(schema, info, std::move(state), std::move(reads)));
}

std::unique_ptr<WeirTableEntry> WeirTableEntry::MakeUnreadable(WeirSchemaEntry& schema,
                                                               const std::string& name,
                                                               const std::string& reason) {
  duckdb::CreateTableInfo info(schema, name);
  info.comment = duckdb::Value(reason);
  return std::unique_ptr<WeirTableEntry>(new WeirTableEntry(schema, info, nullptr, nullptr));
}

duckdb::unique_ptr<duckdb::BaseStatistics> WeirTableEntry::GetStatistics(duckdb::ClientContext&,
                                                                         duckdb::column_t) {
  return nullptr;
}

duckdb::TableFunction WeirTableEntry::GetScanFunction(
    duckdb::ClientContext& context, duckdb::unique_ptr<duckdb::FunctionData>& bind_data) {
  return MakeTableScan(context, state_, name, this, bind_data);
}

duckdb::TableStorageInfo WeirTableEntry::GetStorageInfo(duckdb::ClientContext&) { return {}; }

duckdb::virtual_column_map_t WeirTableEntry::GetVirtualColumns() const {
  return ScanVirtualColumns();
}

duckdb::vector<duckdb::column_t> WeirTableEntry::GetRowIdColumns() const {
  duckdb::vector<duckdb::column_t> columns = {
      duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX,
      duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER};
  if (delta::IsRowTrackingEnabled(state_->protocol(), state_->metadata()))
    columns.push_back(kRowIdColumn);
  return columns;
}

}  // namespace weir::engine
