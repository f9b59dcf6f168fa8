// SPDX-License-Identifier: Apache-2.0
#include "feed/checks/checks.h"
#include "feed/load/load_log.h"
#include "feed/load/sql.h"

namespace weir::feed {

Result<std::vector<Finding>> CheckIndexMissing(const CheckContext& context) {
  std::vector<Finding> findings;
  for (const UsedTable& table : context.project.tables) {
    if (!table.on_lake) continue;
    WEIR_ASSIGN_OR_RETURN(const std::string since, FirstLoad(context, table));
    if (since.empty()) continue;
    WEIR_ASSIGN_OR_RETURN(const bool exists,
                          HasTable(context.session, context.project.schema_lake, table.id()));
    if (exists) continue;
    Finding finding{"2.12",
                    table.display(),
                    "on DL and loaded, but there is no index " + context.project.schema_lake + "." +
                        table.id() + ": no feed has been written since it went",
                    since,
                    "load the table: all rows are sent again",
                    "",
                    {},
                    {}};
    finding.script = FeedScript(context.project, "load " + table.id());
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace weir::feed
