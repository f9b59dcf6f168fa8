// SPDX-License-Identifier: Apache-2.0
#include "feed/checks/checks.h"
#include "feed/load/sql.h"
#include "feed/views/read_objects.h"

namespace weir::feed {

Result<std::vector<Finding>> CheckReadObjectsLeft(const CheckContext& context) {
  std::vector<Finding> findings;
  const auto present = PresentReadObjects(context.session, context.project);
  if (!present) return findings;  // 2.17 tells
  for (const std::string& name : *present) {
    bool used = false;
    for (const UsedTable& table : context.project.tables)
      used |= table.lake_only() && IsReadObjectOf(table, name);
    if (used) continue;
    const std::string schema = QuoteIdentifier(context.project.schema_dl);
    Finding finding{"2.15",
                    name,
                    "read object " + context.project.schema_dl + "." + name +
                        " is there, but no table on DL alone has it",
                    "",
                    "drop the view; the Parquet files stay",
                    "",
                    Finding::Fix::kReadObjects,
                    {"DROP VIEW read_objects." + schema + "." + QuoteIdentifier(name)}};
    finding.script = "-- " + finding.check + " " + finding.message + "\nATTACH IF NOT EXISTS " +
                     QuoteLiteral(context.project.read_database.string()) +
                     " AS read_objects (TYPE duckdb);\n" + finding.statements[0] + ";\n";
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace weir::feed
