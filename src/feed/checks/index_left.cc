// SPDX-License-Identifier: Apache-2.0
#include "feed/checks/checks.h"
#include "feed/load/sql.h"

namespace weir::feed {
namespace {

bool IsOnLake(const FeedProject& project, const std::string& id) {
  for (const UsedTable& table : project.tables) {
    if (table.on_lake && EqualsIgnoreCase(table.id(), id)) return true;
  }
  return false;
}

}  // namespace

Result<std::vector<Finding>> CheckIndexLeft(const CheckContext& context) {
  const std::string& schema = context.project.schema_lake;
  WEIR_ASSIGN_OR_RETURN(
      const auto rows,
      Rows(context.session,
           "SELECT table_name FROM duckdb_tables() WHERE database_name = 'warehouse' AND "
           "lower(schema_name) = lower(" +
               QuoteLiteral(schema) + ") ORDER BY 1"));
  std::vector<Finding> findings;
  for (const Row& row : rows) {
    const std::string id = row[0].value_or("");
    if (IsOnLake(context.project, id)) continue;
    WEIR_ASSIGN_OR_RETURN(const auto since,
                          Rows(context.session,
                               "SELECT CAST(max(\"timestamp\")::TIMESTAMP AS VARCHAR) FROM "
                               "weir_history(" +
                                   QuoteLiteral(InWarehouse(schema, id)) + ")"));
    Finding finding{"2.13",
                    id,
                    "index " + schema + "." + id + " is there, but its table is not on DL",
                    since[0][0].value_or(""),
                    "drop the index; the Parquet files stay",
                    "",
                    Finding::Fix::kWarehouse,
                    {"DROP TABLE " + InWarehouse(schema, id)}};
    finding.script = SqlScript("ATTACH " + QuoteLiteral(context.project.warehouse) +
                               " AS warehouse (TYPE weir);\n" + finding.statements[0] + ";\n");
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace weir::feed
