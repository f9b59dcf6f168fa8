// SPDX-License-Identifier: Apache-2.0
#include "feed/load/sql.h"

#include <fmt/format.h>

#include <chrono>

namespace weir::feed {

std::string Names(const std::vector<Column>& columns, const std::string& prefix) {
  return Join(columns, ", ",
              [&](const Column& column) { return prefix + QuoteIdentifier(column.name); });
}

const Column* FindColumn(const std::vector<Column>& columns, std::string_view name) {
  for (const Column& column : columns) {
    if (EqualsIgnoreCase(column.name, name)) return &column;
  }
  return nullptr;
}

std::string InWarehouse(const std::string& schema, const std::string& table) {
  return std::string(kWarehouse) + "." + QuoteIdentifier(schema) + "." + QuoteIdentifier(table);
}

std::string TimestampText(int64_t micros) {
  using std::chrono::floor;
  const std::chrono::sys_time<std::chrono::microseconds> time{std::chrono::microseconds(micros)};
  const auto day = floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:06}", int(date.year()),
                     unsigned(date.month()), unsigned(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

std::string TimestampLiteral(int64_t micros) { return "TIMESTAMP '" + TimestampText(micros) + "'"; }

Result<std::vector<Row>> Rows(engine::Session& session, const std::string& sql) {
  WEIR_ASSIGN_OR_RETURN(const auto result, session.Query(sql));
  std::vector<Row> rows;
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const bool more, result->NextBatch());
    if (!more) return rows;
    for (size_t i = 0; i < result->batch_size(); ++i) {
      Row row;
      for (size_t c = 0; c < result->columns().size(); ++c) {
        row.push_back(result->IsNull(c, i) ? std::nullopt : std::optional(result->Text(c, i)));
      }
      rows.push_back(std::move(row));
    }
  }
}

Result<std::vector<Column>> Describe(engine::Session& session, const std::string& query) {
  WEIR_ASSIGN_OR_RETURN(const auto rows, Rows(session, "DESCRIBE " + query));
  std::vector<Column> columns;
  for (const Row& row : rows) columns.push_back({row[0].value_or(""), row[1].value_or("")});
  return columns;
}

Result<bool> HasTable(engine::Session& session, const std::string& schema,
                      const std::string& table) {
  const auto described = session.Query("SELECT 1 FROM " + InWarehouse(schema, table) + " LIMIT 0");
  if (described) return true;
  const std::string& message = described.error().message;
  if (described.error().kind == ErrorKind::kNotFound ||
      message.find("does not exist") != std::string::npos) {
    return false;
  }
  return Fail(described.error());
}

Result<int64_t> TableVersion(engine::Session& session, const std::string& schema,
                             const std::string& table) {
  WEIR_ASSIGN_OR_RETURN(
      const auto version,
      session.QueryInt64("SELECT max(version) FROM weir_history(" +
                         QuoteLiteral(InWarehouse(schema, table)) + ", \"limit\" => 1)"));
  return version.value_or(-1);
}

}  // namespace weir::feed
