// SPDX-License-Identifier: Apache-2.0
#include "engine/functions/table_changes.h"

#include <string>
#include <utility>

#include "duckdb/main/connection.hpp"
#include "duckdb/main/database.hpp"
#include "duckdb/main/extension/extension_loader.hpp"
#include "duckdb/parser/tableref/table_function_ref.hpp"

#include "engine/catalog/catalog.h"
#include "engine/duckdb_errors.h"
#include "engine/functions/change_arguments.h"
#include "engine/functions/net_changes.h"
#include "engine/scan/change_feed.h"
#include "engine/scan/table_scan.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
constexpr const char* kByName = "table_changes";
constexpr const char* kByPath = "table_changes_by_path";

duckdb::unique_ptr<duckdb::FunctionData> Bind(duckdb::ClientContext& context,
                                              duckdb::TableFunctionBindInput& input,
                                              duckdb::vector<LogicalType>& types,
                                              duckdb::vector<duckdb::string>& names) {
  const bool by_path = input.table_function.name == kByPath;
  auto changes = OrThrow(PlanCall(context, by_path, input.inputs, input.named_parameters));
  const std::string& allowed_root =
      changes.table.entry->ParentCatalog().Cast<WeirCatalog>().warehouse().root();
  return BindChangeScan(context, input.table_function,
                        OrThrow(MakeChangeTable(*changes.snapshot, std::move(changes.plan))),
                        changes.table.name, allowed_root, types, names);
}

duckdb::TableFunctionSet MakeFunctions(duckdb::ClientContext& context, const char* name) {
  duckdb::TableFunctionSet set(name);
  auto function = ChangeScanFunction(context);
  function.name = name;
  function.bind = Bind;
  function.bind_replace = ReplaceByNetChanges;
  function.named_parameters[kAllowOutOfRange] = LogicalType(LogicalTypeId::BOOLEAN);
  AddNetOptions(function);
  function.arguments = {LogicalType(LogicalTypeId::VARCHAR)};
  for (int bounds = 0; bounds <= 2; ++bounds) {
    set.AddFunction(function);
    function.arguments.push_back(LogicalType(LogicalTypeId::ANY));
  }
  return set;
}

}  // namespace

void RegisterTableChanges(duckdb::DatabaseInstance& db) {
  duckdb::Connection connection(db);
  connection.BeginTransaction();
  auto by_name = MakeFunctions(*connection.context, kByName);
  auto by_path = MakeFunctions(*connection.context, kByPath);
  connection.Commit();
  duckdb::ExtensionLoader loader(db, "weir");
  loader.RegisterFunction(std::move(by_name));
  loader.RegisterFunction(std::move(by_path));
}

}  // namespace weir::engine
