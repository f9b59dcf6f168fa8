// SPDX-License-Identifier: Apache-2.0
#include "feed/checks/checks.h"
#include "feed/load/load_log.h"
#include "feed/load/sql.h"
#include "feed/views/read_objects.h"

namespace weir::feed {
namespace {

// When the table that the read object was made for was last loaded on DL alone.
Result<std::string> LastLakeOnlyLoad(const CheckContext& context, const std::string& object) {
  if (!context.has_log) return std::string();
  WEIR_ASSIGN_OR_RETURN(
      const auto rows,
      Rows(context.session, "SELECT CAST(max(\"FinishedAt\") AS VARCHAR) FROM " +
                                InWarehouse(kLogSchema, kRunTable) +
                                " WHERE \"DataPlatform\" = 'DL' AND lower(\"Table\") IN (lower(" +
                                QuoteLiteral(object) + "), lower(regexp_replace(" +
                                QuoteLiteral(object) + ", '_Feed(_g[0-9]+)?$', '', 'i')))"));
  return rows[0][0].value_or("");
}

}  // namespace

Result<std::vector<Finding>> CheckReadObjectsLeft(const CheckContext& context) {
  std::vector<Finding> findings;
  const auto present = PresentReadObjects(context.session, context.project);
  if (!present) return findings;  // 2.17 tells
  for (const std::string& name : *present) {
    bool used = false;
    for (const UsedTable& table : context.project.tables)
      used |= table.lake_only() && IsReadObjectOf(table, name);
    if (used) continue;
    WEIR_ASSIGN_OR_RETURN(const std::string since, LastLakeOnlyLoad(context, name));
    const std::string schema = QuoteIdentifier(context.project.schema_dl);
    Finding finding{"2.15",
                    name,
                    "read object " + context.project.schema_dl + "." + name +
                        " is there, but no table on DL alone has it",
                    since,
                    "drop the view; the Parquet files stay",
                    "",
                    Finding::Fix::kReadObjects,
                    {"DROP VIEW read_objects." + schema + "." + QuoteIdentifier(name)}};
    finding.script = SqlScript("ATTACH " + QuoteLiteral(context.project.read_database.string()) +
                               " AS read_objects (TYPE duckdb);\n" + finding.statements[0] + ";\n");
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace weir::feed
