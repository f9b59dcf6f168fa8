// SPDX-License-Identifier: Apache-2.0
#include "engine/functions/net_changes.h"

#include <string>

#include "duckdb/main/client_context.hpp"
#include "duckdb/parser/keyword_helper.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/parser/statement/select_statement.hpp"
#include "duckdb/parser/tableref/subqueryref.hpp"

#include "engine/duckdb_errors.h"

namespace weir::engine {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using duckdb::Value;

namespace {

constexpr const char* kNet = "net";
constexpr const char* kKeys = "keys";

const Value* Find(const duckdb::named_parameter_map_t& options, const char* name) {
  const auto it = options.find(name);
  return it == options.end() || it->second.IsNull() ? nullptr : &it->second;
}

std::string Quote(const std::string& name) { return duckdb::KeywordHelper::WriteQuoted(name, '"'); }

// The call of the feed itself.
std::string FeedCall(const duckdb::TableFunctionBindInput& input) {
  std::string call = input.table_function.name + "(";
  for (size_t i = 0; i < input.inputs.size(); ++i)
    call += (i > 0 ? ", " : "") + input.inputs[i].ToSQLString();
  for (const auto& [name, value] : input.named_parameters) {
    if (name != kNet && name != kKeys) call += ", " + name + " => " + value.ToSQLString();
  }
  return call + ")";
}

// What a row that is left over is called, of which "\1sum" says whether it is new.
std::string ChangeType(const Value* keys) {
  if (!keys) return "CASE WHEN \"\1sum\" > 0 THEN 'insert' ELSE 'delete' END";
  std::string columns;
  for (const auto& key : duckdb::ListValue::GetChildren(*keys)) {
    if (key.IsNull()) {
      Throw(InvalidArgument("WEIR_CHANGE_KEY_NOT_FOUND", "a key of the net change is NULL"));
    }
    columns += (columns.empty() ? "" : ", ") + Quote(duckdb::StringValue::Get(key));
  }
  const std::string window = " OVER (PARTITION BY " + columns + ")";
  return "CASE WHEN \"\1sum\" > 0 THEN CASE WHEN bool_or(\"\1sum\" < 0)" + window +
         " THEN 'update_postimage' ELSE 'insert' END ELSE CASE WHEN bool_or(\"\1sum\" > 0)" +
         window + " THEN 'update_preimage' ELSE 'delete' END END";
}

// Names that begin with \1 are no columns of anybody's table.
std::string NetQuery(const duckdb::TableFunctionBindInput& input, const Value* keys) {
  return "SELECT * EXCLUDE (\"\1sum\", \"\1version\", \"\1time\", \"\1copy\", \"\1type\"), "
         "\"\1type\" AS _change_type, \"\1version\" AS _commit_version, "
         "\"\1time\" AS _commit_timestamp "
         "FROM (SELECT *, unnest(range(abs(\"\1sum\")::BIGINT)) AS \"\1copy\", " +
         ChangeType(keys) +
         " AS \"\1type\" FROM (SELECT * EXCLUDE (_change_type, _commit_version, "
         "_commit_timestamp), "
         "sum(CASE WHEN _change_type IN ('insert', 'update_postimage') THEN 1 ELSE -1 END) "
         "AS \"\1sum\", max(_commit_version) AS \"\1version\", max(_commit_timestamp) AS "
         "\"\1time\" "
         "FROM " +
         FeedCall(input) + " GROUP BY ALL HAVING \"\1sum\" <> 0))";
}

}  // namespace

void AddNetOptions(duckdb::TableFunction& function) {
  function.named_parameters[kNet] = LogicalType(LogicalTypeId::BOOLEAN);
  function.named_parameters[kKeys] = LogicalType::LIST(LogicalType(LogicalTypeId::VARCHAR));
}

duckdb::unique_ptr<duckdb::TableRef> ReplaceByNetChanges(duckdb::ClientContext& context,
                                                         duckdb::TableFunctionBindInput& input) {
  const Value* net = Find(input.named_parameters, kNet);
  const Value* keys = Find(input.named_parameters, kKeys);
  if (keys && duckdb::ListValue::GetChildren(*keys).empty()) keys = nullptr;
  if (!keys && !(net && duckdb::BooleanValue::Get(*net))) return nullptr;
  duckdb::Parser parser(context.GetParserOptions());
  parser.ParseQuery(NetQuery(input, keys));
  auto select = duckdb::unique_ptr_cast<duckdb::SQLStatement, duckdb::SelectStatement>(
      std::move(parser.statements[0]));
  return duckdb::make_uniq<duckdb::SubqueryRef>(std::move(select), "changes");
}

}  // namespace weir::engine
