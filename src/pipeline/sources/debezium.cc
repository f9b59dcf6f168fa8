// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sources/debezium.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "pipeline/flows/sql_text.h"

namespace weir::pipeline {
namespace {

constexpr std::string_view kOp = "__op";
constexpr std::string_view kTime = "__ts_ms";
constexpr std::string_view kSource = "__source";

bool IsAdded(std::string_view name) { return name == kOp || name == kTime || name == kSource; }

/// A member of the envelope, wherever it is.
Result<std::optional<SqlType>> Member(const std::vector<Column>& found, std::string_view name) {
  if (const Column* column = FindColumn(found, name)) {
    WEIR_ASSIGN_OR_RETURN(SqlType type, ParseType(column->type));
    return std::optional(std::move(type));
  }
  const Column* payload = FindColumn(found, "payload");
  if (payload == nullptr) return std::optional<SqlType>();
  WEIR_ASSIGN_OR_RETURN(const SqlType type, ParseType(payload->type));
  for (size_t i = 0; i < type.fields.size(); ++i) {
    if (type.fields[i] == name) return std::optional(type.children[i]);
  }
  return std::optional<SqlType>();
}

std::string StructType(const std::vector<Column>& columns) {
  return "STRUCT(" +
         Join(columns, ", ",
              [](const Column& column) {
                return QuoteIdentifier(column.name) + " " + column.type;
              }) +
         ")";
}

}  // namespace

Result<std::vector<Column>> FlattenEnvelope(const std::vector<Column>& found) {
  std::vector<Column> columns;
  for (const char* image : {"after", "before"}) {
    WEIR_ASSIGN_OR_RETURN(const std::optional<SqlType> type, Member(found, image));
    if (!type) continue;
    for (size_t i = 0; i < type->fields.size(); ++i) {
      const auto known = std::ranges::find_if(columns, [&](const Column& column) {
        return EqualsIgnoreCase(column.name, type->fields[i]);
      });
      // A column whose values are all NULL has type JSON; the other image may know better.
      if (known == columns.end()) {
        columns.push_back({type->fields[i], type->children[i].ToString()});
      } else if (known->type == "JSON") {
        known->type = type->children[i].ToString();
      }
    }
  }
  WEIR_ASSIGN_OR_RETURN(const std::optional<SqlType> op, Member(found, "op"));
  if (columns.empty() || !op) {
    return Fail(
        InvalidArgument("WEIR_NOT_A_DEBEZIUM_ENVELOPE",
                        "a Debezium event has before, after and op; found were " +
                            Join(found, ", ", [](const Column& column) { return column.name; })));
  }
  columns.push_back({std::string(kOp), "VARCHAR"});
  columns.push_back({std::string(kTime), "BIGINT"});
  WEIR_ASSIGN_OR_RETURN(const std::optional<SqlType> source, Member(found, "source"));
  if (source && source->kind == SqlType::Kind::kStruct) {
    columns.push_back({std::string(kSource), StorableType(*source).ToString()});
  }
  return columns;
}

std::string ReadEnvelope(const std::vector<Column>& columns,
                         const std::function<std::string(const std::vector<Column>&)>& read) {
  std::vector<Column> row;
  for (const Column& column : columns) {
    if (!IsAdded(column.name)) row.push_back(column);
  }
  const Column* source = FindColumn(columns, kSource);
  std::vector<Column> envelope = {{"before", StructType(row)},
                                  {"after", StructType(row)},
                                  {"op", "VARCHAR"},
                                  {"ts_ms", "BIGINT"}};
  if (source != nullptr) envelope.push_back({"source", source->type});
  std::vector<Column> read_columns = envelope;
  read_columns.push_back({"payload", StructType(envelope)});

  const auto member = [](std::string_view name) {
    return "coalesce(e." + QuoteIdentifier(name) + ", e.payload." + QuoteIdentifier(name) + ")";
  };
  const std::string select = Join(columns, ", ", [&](const Column& column) {
    const std::string alias = " AS " + QuoteIdentifier(column.name);
    if (column.name == kOp) return member("op") + alias;
    if (column.name == kTime) return member("ts_ms") + alias;
    if (column.name == kSource) return member("source") + alias;
    const std::string field = "." + QuoteIdentifier(column.name);
    return "CASE WHEN " + member("op") + " = 'd' THEN (" + member("before") + ")" + field +
           " ELSE (" + member("after") + ")" + field + " END" + alias;
  });
  return "SELECT " + select + " FROM " + read(read_columns) + " AS e WHERE " + member("op") +
         " IS NOT NULL";
}

}  // namespace weir::pipeline
