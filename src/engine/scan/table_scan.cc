// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/table_scan.h"

#include <algorithm>
#include <utility>

#include "duckdb/catalog/catalog.hpp"
#include "duckdb/catalog/catalog_entry/table_function_catalog_entry.hpp"
#include "duckdb/parser/tableref/table_function_ref.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"
#include "duckdb/planner/operator/logical_get.hpp"

#include "base/text.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/table_entry.h"
#include "engine/duckdb_errors.h"
#include "engine/scan/file_list.h"
#include "engine/scan/file_selection.h"
#include "engine/scan/metadata_filters.h"
#include "engine/scan/multi_file_reader.h"
#include "engine/scan/row_metadata.h"
#include "engine/scan/scan_copy.h"
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

duckdb::virtual_column_map_t GetVirtualColumns(
    duckdb::ClientContext&, duckdb::optional_ptr<duckdb::FunctionData> bind_data) {
  auto columns = ScanVirtualColumns();
  bind_data->Cast<duckdb::MultiFileBindData>().virtual_columns = columns;
  return columns;
}

duckdb::vector<duckdb::column_t> GetRowIdColumns(duckdb::ClientContext&,
                                                 duckdb::optional_ptr<duckdb::FunctionData>) {
  return {MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX,
          MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER};
}

// A filter on `_metadata` is left to an operator above: the column is made after the file's own
// filters ran.
bool PushdownExpression(duckdb::ClientContext&, const duckdb::LogicalGet& get,
                        duckdb::Expression& expression) {
  bool pushable = true;
  duckdb::ExpressionIterator::VisitExpression<duckdb::BoundColumnRefExpression>(
      expression, [&](const duckdb::BoundColumnRefExpression& reference) {
        const auto& columns = get.GetColumnIds();
        const auto column = reference.binding.column_index;
        if (column < columns.size() && IsRowMetadata(columns[column].GetPrimaryIndex()))
          pushable = false;
      });
  return pushable;
}

void PushdownComplexFilter(duckdb::ClientContext& context, duckdb::LogicalGet& get,
                           duckdb::FunctionData* bind_data,
                           duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) {
  auto& data = bind_data->Cast<duckdb::MultiFileBindData>();
  duckdb::MultiFilePushdownInfo info(get);
  auto chosen = data.file_list->ComplexFilterPushdown(context, data.file_options, info, filters);
  if (chosen) data.file_list = std::move(chosen);
  ShieldMetadataFilters(get, filters);
}

// COUNT(*) without a filter is known from the log when every file tells its rows.
duckdb::vector<duckdb::PartitionStatistics> GetPartitionStatistics(
    duckdb::ClientContext&, duckdb::GetPartitionStatsInput& input) {
  const auto& bind_data = input.bind_data->Cast<duckdb::MultiFileBindData>();
  const auto count = CountRows(bind_data.file_list->Cast<WeirFileList>().files(), false);
  if (!count.exact) return {};
  duckdb::PartitionStatistics statistics;
  statistics.count = count.rows;
  statistics.count_type = duckdb::CountType::COUNT_EXACT;
  return {statistics};
}

void AddFileCounts(const ScanFiles& files, duckdb::InsertionOrderPreservingMap<std::string>& out) {
  out["Files"] = std::to_string(files.size()) + " of " + std::to_string(files.total());
  out["Files skipped"] = std::to_string(files.total() - files.size());
}

duckdb::InsertionOrderPreservingMap<std::string> ToString(
    duckdb::TableFunctionToStringInput& input) {
  duckdb::InsertionOrderPreservingMap<std::string> out;
  const auto& bind_data = input.bind_data->Cast<duckdb::MultiFileBindData>();
  const auto& source = ReaderOf(bind_data).source();
  out["Table"] = source.name;
  if (source.state->snapshot()) out["Version"] = std::to_string(source.state->version());
  if (source.changes) {
    const auto& range = source.changes->range;
    out["Versions"] =
        range.empty() ? "none" : std::to_string(range.first) + " to " + std::to_string(range.last);
  }
  AddFileCounts(bind_data.file_list->Cast<WeirFileList>().files(), out);
  return out;
}

// With the files that run-time filters have ruled out.
duckdb::InsertionOrderPreservingMap<std::string> DynamicToString(
    duckdb::TableFunctionDynamicToStringInput& input) {
  duckdb::InsertionOrderPreservingMap<std::string> out;
  if (input.global_state) {
    AddFileCounts(input.global_state->Cast<duckdb::MultiFileGlobalState>()
                      .file_list.Cast<WeirFileList>()
                      .files(),
                  out);
  }
  return out;
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

std::shared_ptr<ScanSource> MakeSource(duckdb::ClientContext& context, TableStatePtr state,
                                       const std::string& name,
                                       duckdb::optional_ptr<WeirTableEntry> entry) {
  auto source = std::make_shared<ScanSource>();
  source->name = name;
  source->entry = entry;
  // A scan of chosen files reads nothing that the statement has not read already.
  if (entry && entry->state() == state) source->reads = entry->reads();
  source->mode = OrThrow(MappingModeOf(state->metadata()));
  source->columns = OrThrow(TableColumns(*state->schema()));
  source->partition_of = FindPartitionColumns(*state);
  source->allowed_root =
      entry && !entry->ParentCatalog().Cast<WeirCatalog>().warehouse().root().empty()
          ? entry->ParentCatalog().Cast<WeirCatalog>().warehouse().root()
          : state->log().root;
  source->allow_external = ExternalFilesAllowed(context);
  source->state = std::move(state);
  return source;
}

duckdb::TableFunctionCatalogEntry& ParquetScan(duckdb::ClientContext& context) {
  return duckdb::Catalog::GetSystemCatalog(context).GetEntry<duckdb::TableFunctionCatalogEntry>(
      context, DEFAULT_SCHEMA, "parquet_scan");
}

duckdb::unique_ptr<duckdb::FunctionData> BindSource(duckdb::ClientContext& context,
                                                    duckdb::TableFunction& function,
                                                    ScanSourcePtr source,
                                                    duckdb::vector<duckdb::LogicalType>& types,
                                                    duckdb::vector<duckdb::string>& names) {
  duckdb::vector<duckdb::Value> inputs{duckdb::Value(source->name)};
  function.function_info = duckdb::make_shared_ptr<ScanFunctionInfo>(std::move(source));
  duckdb::named_parameter_map_t parameters;
  // Footers leave NaN out of their bounds, but NaN is above every number.
  parameters["can_have_nan"] = duckdb::Value::BOOLEAN(true);
  duckdb::vector<duckdb::LogicalType> input_types;
  duckdb::vector<duckdb::string> input_names;
  duckdb::TableFunctionRef ref;
  duckdb::TableFunctionBindInput input(inputs, parameters, input_types, input_names,
                                       function.function_info.get(), nullptr, function, ref);
  return ParquetScan(context).functions.GetFunctionByOffset(0).bind(context, input, types, names);
}

void ReadRows(duckdb::ClientContext& context, duckdb::TableFunctionInput& input,
              duckdb::DataChunk& output) {
  static const duckdb::table_function_t read =
      ParquetScan(context).functions.GetFunctionByOffset(0).function;
  try {
    read(context, input, output);
  } catch (...) {
    const auto& reader = input.local_state->Cast<duckdb::MultiFileLocalState>().reader;
    RethrowOfFile(reader ? reader->GetFileName() : ReaderOf(*input.bind_data).source().name);
  }
}

// A feed whose files are gone in part fails before its first row.
duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitChangeScan(
    duckdb::ClientContext& context, duckdb::TableFunctionInitInput& input) {
  auto state = ParquetScan(context).functions.GetFunctionByOffset(0).init_global(context, input);
  const auto& files =
      state->Cast<duckdb::MultiFileGlobalState>().file_list.Cast<WeirFileList>().files();
  std::vector<uint32_t> numbers;
  for (size_t i = 0; i < files.size(); ++i) numbers.push_back(files.number(i));
  OrThrow(CheckFilesExist(files.state(), *ReaderOf(*input.bind_data).source().changes, numbers));
  return state;
}

}  // namespace

bool ExternalFilesAllowed(duckdb::ClientContext& context) {
  duckdb::Value allowed;
  return context.TryGetCurrentSetting(kAllowExternalFiles, allowed) && !allowed.IsNull() &&
         allowed.GetValue<bool>();
}

duckdb::virtual_column_map_t ScanVirtualColumns() {
  duckdb::virtual_column_map_t columns;
  columns.insert(
      {MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX,
       duckdb::TableColumn("file_index", duckdb::LogicalType(duckdb::LogicalTypeId::UBIGINT))});
  columns.insert(
      {MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER,
       duckdb::TableColumn("file_row_number", duckdb::LogicalType(duckdb::LogicalTypeId::BIGINT))});
  columns.insert({duckdb::COLUMN_IDENTIFIER_EMPTY,
                  duckdb::TableColumn("", duckdb::LogicalType(duckdb::LogicalTypeId::BOOLEAN))});
  columns.insert({kRowMetadataColumn, duckdb::TableColumn(kRowMetadataName, RowMetadataType())});
  columns.insert(
      {kRowIdColumn, duckdb::TableColumn("_metadata.row_id", RowMetadataType(kRowIdColumn))});
  columns.insert(
      {kRowCommitVersionColumn, duckdb::TableColumn("_metadata.row_commit_version",
                                                    RowMetadataType(kRowCommitVersionColumn))});
  return columns;
}

duckdb::TableFunction ScanFunction(duckdb::ClientContext& context) {
  auto function = ParquetScan(context).functions.GetFunctionByArguments(
      context, {duckdb::LogicalType(duckdb::LogicalTypeId::VARCHAR)});
  function.name = "weir_scan";
  function.function = ReadRows;
  function.named_parameters.clear();
  function.get_multi_file_reader = WeirMultiFileReader::Create;
  function.get_bind_info = GetBindInfo;
  function.get_virtual_columns = GetVirtualColumns;
  function.get_row_id_columns = GetRowIdColumns;
  function.pushdown_complex_filter = PushdownComplexFilter;
  function.pushdown_expression = PushdownExpression;
  function.get_partition_stats = GetPartitionStatistics;
  function.to_string = ToString;
  function.dynamic_to_string = DynamicToString;
  // Answers from the files alone, which know nothing of deleted rows and of columns they lack.
  function.statistics = nullptr;
  function.serialize = nullptr;
  function.deserialize = nullptr;
  function.late_materialization = false;
  return function;
}

duckdb::TableFunction ChangeScanFunction(duckdb::ClientContext& context) {
  auto function = ScanFunction(context);
  function.init_global = InitChangeScan;
  // The log does not tell how many rows of a file have changed.
  function.get_partition_stats = nullptr;
  return function;
}

duckdb::unique_ptr<duckdb::FunctionData> BindTableScan(duckdb::ClientContext& context,
                                                       duckdb::TableFunction& function,
                                                       TableStatePtr state, const std::string& name,
                                                       duckdb::optional_ptr<WeirTableEntry> entry,
                                                       duckdb::vector<duckdb::LogicalType>& types,
                                                       duckdb::vector<duckdb::string>& names) {
  return BindSource(context, function, MakeSource(context, std::move(state), name, entry), types,
                    names);
}

duckdb::unique_ptr<duckdb::FunctionData> BindChangeScan(duckdb::ClientContext& context,
                                                        duckdb::TableFunction& function,
                                                        ChangeTable table, const std::string& name,
                                                        const std::string& allowed_root,
                                                        duckdb::vector<duckdb::LogicalType>& types,
                                                        duckdb::vector<duckdb::string>& names) {
  auto source = MakeSource(context, std::move(table.state), name, nullptr);
  source->changes = std::move(table.feed);
  if (!allowed_root.empty()) source->allowed_root = allowed_root;
  return BindSource(context, function, std::move(source), types, names);
}

duckdb::TableFunction MakeTableScan(duckdb::ClientContext& context, TableStatePtr state,
                                    const std::string& name,
                                    duckdb::optional_ptr<WeirTableEntry> entry,
                                    duckdb::unique_ptr<duckdb::FunctionData>& bind_data,
                                    ChosenRows chosen_rows) {
  auto function = ScanFunction(context);
  duckdb::vector<duckdb::LogicalType> types;
  duckdb::vector<duckdb::string> names;
  auto source = MakeSource(context, std::move(state), name, entry);
  source->chosen_rows = std::move(chosen_rows);
  bind_data = BindSource(context, function, std::move(source), types, names);
  if (entry) MakeCopyable(function);
  return function;
}

}  // namespace weir::engine
