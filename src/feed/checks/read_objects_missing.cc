// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "feed/checks/checks.h"
#include "feed/load/generations.h"
#include "feed/views/read_objects.h"

namespace weir::feed {

Result<std::vector<Finding>> CheckReadObjectsMissing(const CheckContext& context) {
  std::vector<Finding> findings;
  const auto present = PresentReadObjects(context.session, context.project);
  if (!present || context.project.schema_dl.empty()) return findings;  // 2.17 and 2.16 tell
  for (const UsedTable& table : context.project.tables) {
    if (!table.lake_only()) continue;
    WEIR_ASSIGN_OR_RETURN(const std::string since, FirstLoad(context, table));
    if (since.empty()) continue;
    WEIR_ASSIGN_OR_RETURN(const auto generations, ReadGenerations(context.session, table));
    std::vector<std::string> wanted = {table.table, table.table + "_Feed"};
    for (const Generation& generation : generations)
      wanted.push_back(table.table + "_Feed_g" + std::to_string(generation.number));
    std::erase_if(wanted, [&](const std::string& name) {
      return std::ranges::find(*present, name) != present->end();
    });
    if (wanted.empty()) continue;
    Finding finding{"2.14",
                    table.display(),
                    "loaded, but in schema " + context.project.schema_dl + " of " +
                        context.project.read_database.string() + " there is no " +
                        Join(wanted, ", ", [](const std::string& name) { return name; }),
                    since,
                    "make the read objects again",
                    "",
                    Finding::Fix::kReadObjectsAnew,
                    {}};
    const auto views =
        ReadObjectScript(context.session, context.project, {&table}, Dialect::kDuckDB);
    if (views) {
      finding.script = SqlScript("ATTACH " + QuoteLiteral(context.project.read_database.string()) +
                                 " AS read_objects (TYPE duckdb);\nUSE read_objects;\n" + *views);
    } else {  // loaded, but not yet to the lake
      finding.script = FeedScript(context.project, "load " + table.id());
      finding.repair = "load the table";
      finding.fix = Finding::Fix::kNone;
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace weir::feed
