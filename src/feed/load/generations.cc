// SPDX-License-Identifier: Apache-2.0
#include "feed/load/generations.h"

#include "base/json.h"
#include "feed/load/load_log.h"

namespace weir::feed {
namespace {

std::string ToJson(const std::vector<Column>& columns) {
  std::string text;
  JsonWriter writer(text);
  writer.BeginArray();
  for (const Column& column : columns) {
    writer.BeginObject()
        .Key("name")
        .String(column.name)
        .Key("type")
        .String(column.type)
        .EndObject();
  }
  writer.EndArray();
  return text;
}

Result<std::vector<Column>> FromJson(const std::string& text) {
  const auto json = JsonValue::Parse(text);
  std::vector<Column> columns;
  if (json) {
    for (const JsonValue& item : json->items()) {
      const JsonValue* name = item.Find("name");
      const JsonValue* type = item.Find("type");
      if (name != nullptr && type != nullptr) columns.push_back({name->text(), type->text()});
    }
  }
  if (!columns.empty()) return columns;
  return Fail(CorruptLog("WEIR_FEED_GENERATION_CORRUPT", "LoadManagement.LakeFeedGeneration: '" +
                                                             text + "' is no list of columns"));
}

bool SameColumns(const std::vector<Column>& a, const std::vector<Column>& b) {
  if (a.size() != b.size()) return false;
  for (const Column& column : a) {
    const Column* other = FindColumn(b, column.name);
    if (other == nullptr || other->type != column.type) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<Generation>> ReadGenerations(engine::Session& session, const UsedTable& table) {
  WEIR_ASSIGN_OR_RETURN(const auto rows,
                        Rows(session, "SELECT \"Generation\", any_value(\"Columns\") FROM " +
                                          InWarehouse(kLogSchema, kGenerationTable) +
                                          " WHERE \"Source\" = " + QuoteLiteral(table.source) +
                                          " AND \"Schema\" = " + QuoteLiteral(table.schema) +
                                          " AND \"Table\" = " + QuoteLiteral(table.table) +
                                          " GROUP BY 1 ORDER BY 1"));
  std::vector<Generation> generations;
  for (const Row& row : rows) {
    WEIR_ASSIGN_OR_RETURN(auto columns, FromJson(row[1].value_or("")));
    generations.push_back({std::stoll(row[0].value_or("0")), std::move(columns)});
  }
  return generations;
}

Result<Generation> GenerationOf(engine::Session& session, const UsedTable& table,
                                const std::vector<Column>& columns, const std::string& run_id,
                                int64_t etl_date) {
  WEIR_ASSIGN_OR_RETURN(const auto generations, ReadGenerations(session, table));
  if (!generations.empty() && SameColumns(generations.back().columns, columns))
    return generations.back();
  const int64_t number = generations.empty() ? 1 : generations.back().number + 1;
  WEIR_RETURN_IF_ERROR(
      session.Execute("INSERT INTO " + InWarehouse(kLogSchema, kGenerationTable) + " VALUES (" +
                      QuoteLiteral(table.source) + ", " + QuoteLiteral(table.schema) + ", " +
                      QuoteLiteral(table.table) + ", " + std::to_string(number) + ", " +
                      QuoteLiteral(ToJson(columns)) + ", " + TimestampLiteral(etl_date) + ", " +
                      QuoteLiteral(run_id) + ")"));
  return Generation{number, columns};
}

}  // namespace weir::feed
