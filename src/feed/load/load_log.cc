// SPDX-License-Identifier: Apache-2.0
#include "feed/load/load_log.h"

#include "base/clock.h"
#include "feed/load/history_table.h"

namespace weir::feed {
namespace {

std::string Optional(const std::string& text) { return text.empty() ? "NULL" : QuoteLiteral(text); }

std::string RunRow(const std::string& run_id, const TableReport& report) {
  const UsedTable& table = *report.table;
  const auto end = report.started + static_cast<int64_t>(report.seconds * 1e6);
  return "(" + QuoteLiteral(run_id) + ", " + QuoteLiteral(table.source) + ", " +
         QuoteLiteral(table.schema) + ", " + QuoteLiteral(table.table) + ", " +
         QuoteLiteral(ToString(report.load_type)) + ", " +
         QuoteLiteral(table.lake_only() ? "DL"
                      : table.on_lake   ? "DWH,DL"
                                        : "DWH") +
         ", " + (report.error ? "'failed'" : "'done'") + ", " + TimestampLiteral(report.started) +
         ", " + TimestampLiteral(end) + ", " + std::to_string(report.rows_read) + ", " +
         std::to_string(report.counts.inserted) + ", " + std::to_string(report.counts.updated) +
         ", " + std::to_string(report.counts.deleted) + ", " + std::to_string(report.unchanged) +
         ", " + (report.generation == 0 ? "NULL" : std::to_string(report.generation)) + ", " +
         Optional(report.file) + ", " +
         Optional(report.error ? report.error->ToString() : std::string()) + ")";
}

}  // namespace

int64_t NowMicros() { return Clock::System().NowMillis() * 1000; }

Status MakeLogTables(engine::Session& session, const FeedProject& project) {
  std::vector<std::string> schemas = {kLogSchema};
  for (const UsedTable& table : project.tables) {
    if (table.on_lake) schemas.push_back(project.schema_lake);
    if (table.on_dwh) schemas.push_back(kHistorySchema);
  }
  for (const std::string& schema : schemas) {
    WEIR_RETURN_IF_ERROR(session.Execute("CREATE SCHEMA IF NOT EXISTS " + std::string(kWarehouse) +
                                         "." + QuoteIdentifier(schema)));
  }
  return session.Execute(
      "CREATE TABLE IF NOT EXISTS " + InWarehouse(kLogSchema, kGenerationTable) +
      " (\"Source\" VARCHAR, \"Schema\" VARCHAR, \"Table\" VARCHAR, \"Generation\" BIGINT, "
      "\"Columns\" VARCHAR, \"Since\" TIMESTAMP, \"RunId\" VARCHAR); "
      "CREATE TABLE IF NOT EXISTS " +
      InWarehouse(kLogSchema, kRunTable) +
      " (\"RunId\" VARCHAR, \"Source\" VARCHAR, \"Schema\" VARCHAR, \"Table\" VARCHAR, "
      "\"LoadType\" VARCHAR, \"DataPlatform\" VARCHAR, \"Status\" VARCHAR, \"StartedAt\" "
      "TIMESTAMP, \"FinishedAt\" TIMESTAMP, \"RowsRead\" BIGINT, \"Inserted\" BIGINT, "
      "\"Updated\" BIGINT, \"Deleted\" BIGINT, \"Unchanged\" BIGINT, \"Generation\" BIGINT, "
      "\"FeedFile\" VARCHAR, \"Error\" VARCHAR); "
      "CREATE TABLE IF NOT EXISTS " +
      InWarehouse(kLogSchema, kReadObjectTable) +
      " (\"RunId\" VARCHAR, \"At\" TIMESTAMP, \"Source\" VARCHAR, \"Schema\" VARCHAR, "
      "\"Table\" VARCHAR, \"Status\" VARCHAR, \"Message\" VARCHAR)");
}

Result<bool> HasLogTables(engine::Session& session) {
  return HasTable(session, kLogSchema, kReadObjectTable);
}

Status LogRun(engine::Session& session, const std::string& run_id,
              const std::vector<TableReport>& reports) {
  if (reports.empty()) return {};
  return session.Execute(
      "INSERT INTO " + InWarehouse(kLogSchema, kRunTable) + " VALUES " +
      Join(reports, ", ", [&](const TableReport& report) { return RunRow(run_id, report); }));
}

Status LogReadObjects(engine::Session& session, const std::string& run_id, const UsedTable& table,
                      std::string_view status, const std::string& message) {
  return session.Execute("INSERT INTO " + InWarehouse(kLogSchema, kReadObjectTable) + " VALUES (" +
                         QuoteLiteral(run_id) + ", " + TimestampLiteral(NowMicros()) + ", " +
                         QuoteLiteral(table.source) + ", " + QuoteLiteral(table.schema) + ", " +
                         QuoteLiteral(table.table) + ", " + QuoteLiteral(status) + ", " +
                         QuoteLiteral(message) + ")");
}

}  // namespace weir::feed
