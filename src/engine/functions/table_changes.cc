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
#include "engine/functions/change_views.h"
#include "engine/scan/change_feed.h"
#include "engine/scan/table_scan.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
constexpr const char* kByName = "table_changes";
constexpr const char* kByPath = "table_changes_by_path";
constexpr const char* kInsertions = "table_insertions";
constexpr const char* kDeletions = "table_deletions";

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

// One function for each number of bounds.
duckdb::TableFunctionSet WithBounds(duckdb::TableFunction function) {
  duckdb::TableFunctionSet set(function.name);
  AddChangeOptions(function.named_parameters);
  function.arguments = {LogicalType(LogicalTypeId::VARCHAR)};
  for (int bounds = 0; bounds <= 2; ++bounds) {
    set.AddFunction(function);
    function.arguments.push_back(LogicalType(LogicalTypeId::ANY));
  }
  return set;
}

duckdb::TableFunction FeedFunction(duckdb::ClientContext& context, const char* name) {
  auto function = ChangeScanFunction(context);
  function.name = name;
  function.bind = Bind;
  return function;
}

duckdb::TableFunction ViewOfFeed(duckdb::TableFunction function) {
  function.bind_replace = ReplaceByView;
  AddViewOptions(function);
  return function;
}

// Those of the feed's rows that came (with updates: as they are now), or that went.
duckdb::TableFunction HalfOfFeed(duckdb::ClientContext& context, const char* name,
                                 duckdb::table_function_bind_replace_t replace) {
  auto function = ViewOfFeed(FeedFunction(context, name));
  function.bind_replace = replace;
  return function;
}

}  // namespace

void RegisterTableChanges(duckdb::DatabaseInstance& db) {
  duckdb::Connection connection(db);
  connection.BeginTransaction();
  auto& context = *connection.context;
  const std::vector<duckdb::TableFunction> functions = {
      ViewOfFeed(FeedFunction(context, kByName)),
      ViewOfFeed(FeedFunction(context, kByPath)),
      HalfOfFeed(context, kInsertions, ReplaceByInsertions),
      HalfOfFeed(context, kDeletions, ReplaceByDeletions),
      FeedFunction(context, kRowChanges),
  };
  connection.Commit();
  duckdb::ExtensionLoader loader(db, "weir");
  for (const auto& function : functions) loader.RegisterFunction(WithBounds(function));
}

}  // namespace weir::engine
