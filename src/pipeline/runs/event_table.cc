// SPDX-License-Identifier: Apache-2.0
#include "pipeline/runs/event_table.h"

#include "base/text.h"
#include "pipeline/flows/sql_text.h"

namespace weir::pipeline {
namespace {

/// The table's columns behind timestamp, run_id and event, and where each is in an event's details.
const std::vector<std::pair<Column, std::string>>& DetailColumns() {
  static const std::vector<std::pair<Column, std::string>> kColumns = {
      {{"flow", "VARCHAR"}, "$.flow"},
      {{"table_name", "VARCHAR"}, "$.table"},
      {{"state", "VARCHAR"}, "$.state"},
      {{"batch", "BIGINT"}, "$.batch"},
      {{"num_rows_in", "BIGINT"}, "$.num_rows_in"},
      {{"num_upserted_rows", "BIGINT"}, "$.num_upserted_rows"},
      {{"num_deleted_rows", "BIGINT"}, "$.num_deleted_rows"},
      {{"num_dropped_rows", "BIGINT"}, "$.num_dropped_rows"},
      {{"num_files", "BIGINT"}, "$.num_files"},
      {{"duration_ms", "BIGINT"}, "$.duration_ms"},
      {{"error_name", "VARCHAR"}, "$.error.name"},
      {{"error_message", "VARCHAR"}, "$.error.message"}};
  return kColumns;
}

std::string SelectEvents(const std::filesystem::path& file, const std::string& run_id) {
  const std::string details = Join(DetailColumns(), ", ", [](const auto& column) {
    return "CAST(json_extract_string(details, " + QuoteLiteral(column.second) + ") AS " +
           column.first.type + ") AS " + QuoteIdentifier(column.first.name);
  });
  return "SELECT CAST(timestamp AS TIMESTAMP WITH TIME ZONE) AS timestamp, run_id, event, " +
         details + ", CAST(details AS VARCHAR) AS details FROM read_json(" +
         QuoteLiteral(file.string()) +
         ", format = 'newline_delimited', columns = {'timestamp': 'VARCHAR', 'run_id': 'VARCHAR', "
         "'event': "
         "'VARCHAR', 'details': 'JSON'}) WHERE run_id = " +
         QuoteLiteral(run_id);
}

}  // namespace

Status AppendEventTable(engine::Session& session, const std::filesystem::path& storage,
                        const std::filesystem::path& file, const std::string& run_id) {
  const std::string catalog = "__weir_storage";
  WEIR_RETURN_IF_ERROR(session.Execute("ATTACH IF NOT EXISTS " + QuoteLiteral(storage.string()) +
                                       " AS " + catalog + " (TYPE weir)"));
  const std::string columns = Join(DetailColumns(), ", ", [](const auto& column) {
    return QuoteIdentifier(column.first.name) + " " + column.first.type;
  });
  const std::string table = catalog + ".main.event_log";
  WEIR_RETURN_IF_ERROR(
      session.Execute("CREATE TABLE IF NOT EXISTS " + table +
                      " (timestamp TIMESTAMP WITH TIME ZONE, run_id VARCHAR, event VARCHAR, " +
                      columns + ", details VARCHAR)"));
  return session.Execute("INSERT INTO " + table + " " + SelectEvents(file, run_id));
}

}  // namespace weir::pipeline
