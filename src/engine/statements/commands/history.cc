// SPDX-License-Identifier: Apache-2.0
//
// DESCRIBE HISTORY: the commits that the log still holds, newest first, in Spark's columns.
#include "duckdb.hpp"

#include "base/json.h"
#include "delta/snapshot/recent_history.h"
#include "engine/catalog/resolve_table.h"
#include "engine/statements/commands/command_function.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

Value TextMember(const JsonValue& info, std::string_view key) {
  const JsonValue* value = info.Find(key);
  if (value == nullptr || value->is_null()) return Value(LogicalType::VARCHAR);
  return value->is_string() ? Value(value->text()) : Value(value->ToString());
}

Value NumberMember(const JsonValue& info, std::string_view key) {
  const JsonValue* value = info.Find(key);
  const auto number = value == nullptr ? std::nullopt : value->AsInt64();
  return number ? Value::BIGINT(*number) : Value(LogicalType::BIGINT);
}

Value BoolMember(const JsonValue& info, std::string_view key) {
  const JsonValue* value = info.Find(key);
  return value != nullptr && value->is_bool() ? Value::BOOLEAN(value->bool_value())
                                              : Value(LogicalType::BOOLEAN);
}

Value MapMember(const JsonValue& info, std::string_view key) {
  const JsonValue* value = info.Find(key);
  if (value == nullptr || !value->is_object())
    return Value(LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR));
  duckdb::vector<Value> keys;
  duckdb::vector<Value> values;
  for (const auto& [name, member] : value->members()) {
    keys.emplace_back(name);
    values.push_back(TextMember(*value, name));
  }
  return Value::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR, std::move(keys), std::move(values));
}

Result<CommandRows> Run(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const ResolvedTable table,
                        ResolveTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  const Value* limit_value = arguments.Find("limit");
  const int64_t limit = limit_value ? limit_value->GetValue<int64_t>() : 0;
  const delta::TableLog& log = table.state->log();
  WEIR_ASSIGN_OR_RETURN(const auto commits,
                        limit > 0 && table.state->version() >= 0
                            ? delta::ReadRecentHistory(log, limit, table.state->version())
                            : delta::ReadHistory(log, limit));
  CommandRows rows;
  for (const delta::CommitSummary& commit : commits) {
    const JsonValue& info = commit.info.members;
    rows.push_back({Value::BIGINT(commit.version),
                    Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(commit.timestamp_ms * 1000)),
                    TextMember(info, "userId"), TextMember(info, "userName"),
                    TextMember(info, "operation"), MapMember(info, "operationParameters"),
                    TextMember(info, "clusterId"), NumberMember(info, "readVersion"),
                    TextMember(info, "isolationLevel"), BoolMember(info, "isBlindAppend"),
                    MapMember(info, "operationMetrics"), TextMember(info, "userMetadata"),
                    TextMember(info, "engineInfo")});
  }
  return rows;
}

}  // namespace

CommandFunction HistoryCommand() {
  const auto text_map = LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR);
  return {"weir_history",
          {LogicalType::VARCHAR},
          {{"limit", LogicalType::BIGINT}},
          {{"version", LogicalType::BIGINT},
           {"timestamp", LogicalType::TIMESTAMP_TZ},
           {"userId", LogicalType::VARCHAR},
           {"userName", LogicalType::VARCHAR},
           {"operation", LogicalType::VARCHAR},
           {"operationParameters", text_map},
           {"clusterId", LogicalType::VARCHAR},
           {"readVersion", LogicalType::BIGINT},
           {"isolationLevel", LogicalType::VARCHAR},
           {"isBlindAppend", LogicalType::BOOLEAN},
           {"operationMetrics", text_map},
           {"userMetadata", LogicalType::VARCHAR},
           {"engineInfo", LogicalType::VARCHAR}},
          Run};
}

}  // namespace weir::engine
