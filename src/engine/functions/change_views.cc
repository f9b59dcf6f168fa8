// SPDX-License-Identifier: Apache-2.0
#include "engine/functions/change_views.h"

#include <string>

#include "duckdb/main/client_context.hpp"
#include "duckdb/parser/keyword_helper.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/parser/statement/select_statement.hpp"
#include "duckdb/parser/tableref/subqueryref.hpp"

#include "base/text.h"
#include "engine/duckdb_errors.h"
#include "engine/functions/change_arguments.h"
#include "storage/object_store.h"

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

bool Flag(const duckdb::named_parameter_map_t& options, const char* name) {
  const Value* value = Find(options, name);
  return value && duckdb::BooleanValue::Get(*value);
}

// The call with another function's name and without the options of views.
std::string Call(const duckdb::TableFunctionBindInput& input, const std::string& function,
                 bool with_view_options) {
  std::string call = function + "(";
  for (size_t i = 0; i < input.inputs.size(); ++i)
    call += (i > 0 ? ", " : "") + input.inputs[i].ToSQLString();
  for (const auto& [name, value] : input.named_parameters) {
    if (with_view_options || (name != kNet && name != kKeys))
      call += ", " + name + " => " + value.ToSQLString();
  }
  return call + ")";
}

// Names that begin with \1 are no columns of anybody's table.
constexpr const char* kIdName = "\"\1id\"";

// The feed that row ids tell, with the id behind its columns.
std::string FeedByRowIds(duckdb::TableFunctionBindInput& input) {
  if (EndsWith(input.table_function.name, "_by_path") && !input.inputs[0].IsNull()) {
    const auto path = storage::NormalizeLocation(duckdb::StringValue::Get(input.inputs[0]));
    input.inputs[0] = Value("delta." + duckdb::KeywordHelper::WriteQuoted(path, '"'));
  }
  return "(SELECT * EXCLUDE (\"\1commit\", \"\1both\", \"\1copied\") REPLACE (CASE WHEN NOT "
         "\"\1both\" THEN _change_type WHEN _change_type = 'insert' THEN 'update_postimage' ELSE "
         "'update_preimage' END AS _change_type) FROM (SELECT *, \"\1id\" IS NOT NULL AND count(*) "
         "OVER row_of = 2 AS \"\1both\", min(\"\1commit\") OVER row_of = max(\"\1commit\") OVER "
         "row_of AS \"\1copied\" FROM (SELECT *, _metadata.row_id AS \"\1id\", "
         "_metadata.row_commit_version AS \"\1commit\" FROM " +
         Call(input, kRowChanges, false) +
         ") WINDOW row_of AS (PARTITION BY _commit_version, \"\1id\")) WHERE NOT (\"\1both\" AND "
         "\"\1copied\"))";
}

// The columns that identify a row, or nothing.
std::string KeyColumns(const Value* keys, bool by_row_id) {
  if (!keys) return by_row_id ? kIdName : "";
  std::string columns;
  for (const auto& key : duckdb::ListValue::GetChildren(*keys)) {
    if (key.IsNull()) {
      Throw(InvalidArgument("WEIR_CHANGE_KEY_NOT_FOUND", "a key of the net change is NULL"));
    }
    columns += (columns.empty() ? "" : ", ") +
               duckdb::KeywordHelper::WriteQuoted(duckdb::StringValue::Get(key), '"');
  }
  return columns;
}

// What a row that is left over is called, of which "\1sum" says whether it is new.
std::string ChangeType(const std::string& keys) {
  if (keys.empty()) return "CASE WHEN \"\1sum\" > 0 THEN 'insert' ELSE 'delete' END";
  const std::string window = " OVER (PARTITION BY " + keys + ")";
  return "CASE WHEN \"\1sum\" > 0 THEN CASE WHEN bool_or(\"\1sum\" < 0)" + window +
         " THEN 'update_postimage' ELSE 'insert' END ELSE CASE WHEN bool_or(\"\1sum\" > 0)" +
         window + " THEN 'update_preimage' ELSE 'delete' END END";
}

std::string NetQuery(const std::string& feed, const std::string& keys, bool by_row_id) {
  const std::string id = by_row_id ? std::string(kIdName) + ", " : "";
  return "SELECT * EXCLUDE (" + id +
         "\"\1sum\", \"\1version\", \"\1time\", \"\1copy\", \"\1type\"), "
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
         feed + " GROUP BY ALL HAVING \"\1sum\" <> 0))";
}

duckdb::unique_ptr<duckdb::TableRef> Parse(duckdb::ClientContext& context,
                                           const std::string& query) {
  duckdb::Parser parser(context.GetParserOptions());
  parser.ParseQuery(query);
  auto select = duckdb::unique_ptr_cast<duckdb::SQLStatement, duckdb::SelectStatement>(
      std::move(parser.statements[0]));
  return duckdb::make_uniq<duckdb::SubqueryRef>(std::move(select), "changes");
}

duckdb::unique_ptr<duckdb::TableRef> Half(duckdb::ClientContext& context,
                                          const duckdb::TableFunctionBindInput& input,
                                          const char* types) {
  return Parse(context,
               "FROM " + Call(input, "table_changes", true) + " WHERE _change_type IN " + types);
}

}  // namespace

void AddViewOptions(duckdb::TableFunction& function) {
  function.named_parameters[kNet] = LogicalType(LogicalTypeId::BOOLEAN);
  function.named_parameters[kKeys] = LogicalType::LIST(LogicalType(LogicalTypeId::VARCHAR));
}

duckdb::unique_ptr<duckdb::TableRef> ReplaceByView(duckdb::ClientContext& context,
                                                   duckdb::TableFunctionBindInput& input) {
  const Value* keys = Find(input.named_parameters, kKeys);
  if (keys && duckdb::ListValue::GetChildren(*keys).empty()) keys = nullptr;
  const bool by_row_id = Flag(input.named_parameters, kByRowId);
  const bool is_net = keys || Flag(input.named_parameters, kNet);
  if (!is_net && !by_row_id) return nullptr;
  const std::string feed =
      by_row_id ? FeedByRowIds(input) : Call(input, input.table_function.name, false);
  if (!is_net) return Parse(context, "SELECT * EXCLUDE (\"\1id\") FROM " + feed);
  return Parse(context, NetQuery(feed, KeyColumns(keys, by_row_id), by_row_id));
}

duckdb::unique_ptr<duckdb::TableRef> ReplaceByInsertions(duckdb::ClientContext& context,
                                                         duckdb::TableFunctionBindInput& input) {
  return Half(context, input, "('insert', 'update_postimage')");
}

duckdb::unique_ptr<duckdb::TableRef> ReplaceByDeletions(duckdb::ClientContext& context,
                                                        duckdb::TableFunctionBindInput& input) {
  return Half(context, input, "('delete', 'update_preimage')");
}

}  // namespace weir::engine
