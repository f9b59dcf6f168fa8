// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/table_scan.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp"
#include "duckdb/parser/tableref/table_function_ref.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "duckdb/planner/operator/logical_get.hpp"
#include "engine/catalog/catalog.h"
#include "engine/catalog/table_entry.h"
#include "engine/duckdb_errors.h"
#include "engine/scan/multi_file_reader.h"
#include "engine/scan/row_metadata.h"
#include "engine/scan/scan_source.h"

namespace weir::engine {
namespace {

using duckdb::MultiFileReader;

const WeirMultiFileReader& ReaderOf(const duckdb::FunctionData& bind_data) {
  return bind_data.Cast<duckdb::MultiFileBindData>().multi_file_reader->Cast<WeirMultiFileReader>();
}

duckdb::BindInfo GetBindInfo(const duckdb::optional_ptr<duckdb::FunctionData> bind_data) {
  auto entry = ReaderOf(*bind_data).source().entry;
  return entry ? duckdb::BindInfo(*entry) : duckdb::BindInfo(duckdb::ScanType::EXTERNAL);
}

duckdb::virtual_column_map_t GetVirtualColumns(duckdb::ClientContext&,
                                               duckdb::optional_ptr<duckdb::FunctionData> bind_data) {
  auto columns = ScanVirtualColumns();
  bind_data->Cast<duckdb::MultiFileBindData>().virtual_columns = columns;
  return columns;
}

duckdb::vector<duckdb::column_t> GetRowIdColumns(duckdb::ClientContext&, duckdb::optional_ptr<duckdb::FunctionData>) {
  return {MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX, MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER};
}

std::vector<int> FindPartitionColumns(const TableState& state) {
  const auto& fields = state.schema()->fields();
  std::vector<int> places(fields.size(), -1);
  const auto& names = state.metadata().partition_columns;
  for (size_t k = 0; k < names.size(); ++k) {
    for (size_t i = 0; i < fields.size(); ++i) {
      if (EqualsIgnoreCase(fields[i].name, names[k])) places[i] = static_cast<int>(k);
    }
  }
  return places;
}

ScanSourcePtr MakeSource(TableStatePtr state, const std::string& name, duckdb::optional_ptr<WeirTableEntry> entry) {
  auto source = std::make_shared<ScanSource>();
  source->name = name;
  source->entry = entry;
  source->mode = OrThrow(MappingModeOf(state->metadata()));
  source->columns = OrThrow(TableColumns(*state->schema()));
  source->partition_of = FindPartitionColumns(*state);
  source->allowed_root = entry ? entry->ParentCatalog().Cast<WeirCatalog>().warehouse().root() : state->log().root;
  source->state = std::move(state);
  return source;
}

}  // namespace

duckdb::virtual_column_map_t ScanVirtualColumns() {
  duckdb::virtual_column_map_t columns;
  columns.insert({MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX,
                  duckdb::TableColumn("file_index", duckdb::LogicalType(duckdb::LogicalTypeId::UBIGINT))});
  columns.insert({MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER,
                  duckdb::TableColumn("file_row_number", duckdb::LogicalType(duckdb::LogicalTypeId::BIGINT))});
  columns.insert({duckdb::COLUMN_IDENTIFIER_EMPTY,
                  duckdb::TableColumn("", duckdb::LogicalType(duckdb::LogicalTypeId::BOOLEAN))});
  columns.insert({kRowMetadataColumn, duckdb::TableColumn(kRowMetadataName, RowMetadataType())});
  return columns;
}

duckdb::TableFunction MakeTableScan(duckdb::ClientContext& context, TableStatePtr state, const std::string& name,
                                    duckdb::optional_ptr<WeirTableEntry> entry,
                                    duckdb::unique_ptr<duckdb::FunctionData>& bind_data) {
  auto& parquet = duckdb::Catalog::GetSystemCatalog(context).GetEntry<duckdb::TableFunctionCatalogEntry>(
      context, DEFAULT_SCHEMA, "parquet_scan");
  auto function = parquet.functions.GetFunctionByArguments(context, {duckdb::LogicalType(duckdb::LogicalTypeId::VARCHAR)});
  function.name = "weir_scan";
  function.function_info = duckdb::make_shared_ptr<ScanFunctionInfo>(MakeSource(std::move(state), name, entry));
  function.get_multi_file_reader = WeirMultiFileReader::Create;
  function.get_bind_info = GetBindInfo;
  function.get_virtual_columns = GetVirtualColumns;
  function.get_row_id_columns = GetRowIdColumns;
  // These answer from the files alone, which know nothing of deleted rows and unseen columns.
  function.statistics = nullptr;
  function.get_partition_stats = nullptr;
  function.serialize = nullptr;
  function.deserialize = nullptr;
  function.late_materialization = false;

  duckdb::vector<duckdb::Value> inputs{duckdb::Value(name)};
  duckdb::named_parameter_map_t parameters;
  duckdb::vector<duckdb::LogicalType> input_types;
  duckdb::vector<duckdb::string> input_names;
  duckdb::TableFunctionRef ref;
  duckdb::TableFunctionBindInput input(inputs, parameters, input_types, input_names, function.function_info.get(),
                                       nullptr, function, ref);
  duckdb::vector<duckdb::LogicalType> types;
  duckdb::vector<duckdb::string> names;
  bind_data = function.bind(context, input, types, names);
  return function;
}

}  // namespace weir::engine
