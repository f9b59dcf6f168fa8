// SPDX-License-Identifier: Apache-2.0
#include "engine/functions/weir_scan.h"

#include <string>
#include <utility>

#include "duckdb/function/replacement_scan.hpp"
#include "duckdb/main/connection.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/expression/function_expression.hpp"
#include "duckdb/parser/tableref/table_function_ref.hpp"

#include "base/text.h"
#include "engine/catalog/at_clause.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/transaction.h"
#include "engine/duckdb_errors.h"
#include "engine/scan/table_scan.h"
#include "storage/remote_store.h"

namespace weir::engine {
namespace {

WeirCatalog& PathCatalog(duckdb::ClientContext& context) {
  auto catalog = FindPathCatalog(context);
  if (catalog) return *catalog;
  Throw(InvalidArgument("WEIR_PATH_CATALOG_MISSING",
                        "tables are read by path through the hidden catalog \"delta\", which was "
                        "detached; open a new session"));
}

[[noreturn]] void RefuseNoTable(const std::string& path) {
  Throw(NotFound("DELTA_TABLE_NOT_FOUND",
                 "there is no Delta table at " + storage::NormalizeLocation(path) +
                     ": it has no _delta_log with a commit or checkpoint",
                 "42P01"));
}

// Whether `FROM 'name'` can mean nothing but a table's folder: a path whose last part has no
// ending that a reader of files goes by.
bool CanOnlyBeTable(const std::string& name) {
  return name.find('/') != std::string::npos &&
         storage::BaseName(name).find('.') == std::string_view::npos;
}

delta::TimeTravel TimeTravelOf(const duckdb::named_parameter_map_t& parameters) {
  if (parameters.size() > 1) {
    Throw(InvalidArgument("DELTA_TIME_TRAVEL_MULTIPLE",
                          "weir_scan takes version or timestamp, not both", "42601"));
  }
  for (const auto& [name, value] : parameters) {
    return OrThrow(ParseAtClause(name.substr(0, name.find('_')), value));
  }
  return {};
}

duckdb::unique_ptr<duckdb::FunctionData> Bind(duckdb::ClientContext& context,
                                              duckdb::TableFunctionBindInput& input,
                                              duckdb::vector<duckdb::LogicalType>& types,
                                              duckdb::vector<duckdb::string>& names) {
  if (input.inputs[0].IsNull()) {
    Throw(InvalidArgument("DELTA_MISSING_PATH", "weir_scan needs the path of a table, not NULL",
                          "42601"));
  }
  const auto path = duckdb::StringValue::Get(input.inputs[0]);
  const auto at = TimeTravelOf(input.named_parameters);
  auto& catalog = PathCatalog(context);
  auto& schema = catalog.GetSchema(context, Warehouse::kMainSchema).Cast<WeirSchemaEntry>();
  auto& transaction = WeirTransaction::Get(context, catalog);
  const bool travels = at.version || at.timestamp_ms;
  auto entry =
      travels ? transaction.FindTableAt(schema, path, at) : transaction.FindTable(schema, path);
  if (!entry) RefuseNoTable(path);
  return BindTableScan(context, input.table_function, entry->state(), path, nullptr, types, names);
}

duckdb::TableFunction MakeFunction(duckdb::ClientContext& context) {
  auto function = ScanFunction(context);
  function.bind = Bind;
  // TIMESTAMP is a word of the grammar and must be quoted as a name; the _as_of forms need no
  // quotes.
  for (const char* name : {"version", "version_as_of"}) {
    function.named_parameters[name] = duckdb::LogicalType(duckdb::LogicalTypeId::BIGINT);
  }
  for (const char* name : {"timestamp", "timestamp_as_of"}) {
    function.named_parameters[name] = duckdb::LogicalType(duckdb::LogicalTypeId::ANY);
  }
  return function;
}

duckdb::unique_ptr<duckdb::TableRef> ReplaceWithScan(
    duckdb::ClientContext& context, duckdb::ReplacementScanInput& input,
    duckdb::optional_ptr<duckdb::ReplacementScanData>) {
  const auto path = duckdb::ReplacementScan::GetFullPath(input);
  if (path.find_first_of("*?[") != std::string::npos) return nullptr;
  auto catalog = FindPathCatalog(context);
  if (!catalog) return nullptr;
  auto found = catalog->warehouse().FindTable(Warehouse::kMainSchema, path);
  // delta."/path": the binder has taken the name before the dot for a schema's or a catalog's.
  const bool by_path = EqualsIgnoreCase(input.schema_name, catalog->GetName()) ||
                       EqualsIgnoreCase(input.catalog_name, catalog->GetName());
  if (found && !*found && (by_path || CanOnlyBeTable(path)))
    RefuseNoTable(by_path ? input.table_name : path);
  // What a web server says to the question for a log is no reason against a file of another kind.
  const bool is_web = StartsWith(path, "http:") || StartsWith(path, "https:");
  if (!found && storage::IsRemoteLocation(path) && !is_web) Throw(found.error());
  if (!found || !*found) return nullptr;
  duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>> arguments;
  arguments.push_back(duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value(path)));
  auto scan = duckdb::make_uniq<duckdb::TableFunctionRef>();
  scan->function = duckdb::make_uniq<duckdb::FunctionExpression>("weir_scan", std::move(arguments));
  scan->alias = std::string(storage::BaseName((*found)->root));
  return scan;
}

}  // namespace

void RegisterWeirScan(duckdb::DatabaseInstance& db) {
  duckdb::Connection connection(db);
  connection.BeginTransaction();
  auto function = MakeFunction(*connection.context);
  connection.Commit();
  duckdb::ExtensionLoader(db, "weir").RegisterFunction(std::move(function));
  // Before DuckDB's own, which go by the name's ending: a table's folder may be called x.parquet.
  auto& scans = duckdb::DBConfig::GetConfig(db).replacement_scans;
  scans.emplace(scans.begin(), ReplaceWithScan);
}

}  // namespace weir::engine
