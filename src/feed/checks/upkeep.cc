// SPDX-License-Identifier: Apache-2.0
#include "feed/checks/checks.h"
#include "feed/load/load_log.h"
#include "feed/load/sql.h"

namespace weir::feed {

Result<std::vector<Finding>> CheckUpkeep(const CheckContext& context) {
  std::vector<Finding> findings;
  if (!context.has_log) return findings;
  const std::string runs = InWarehouse(kLogSchema, kRunTable);
  WEIR_ASSIGN_OR_RETURN(
      const auto rows,
      Rows(context.session,
           "SELECT concat_ws('.', \"Source\", \"Schema\", \"Table\"), \"Status\", count(*), "
           "CAST(min(\"At\") AS VARCHAR), arg_max(\"Message\", \"At\") FROM " +
               InWarehouse(kLogSchema, kReadObjectTable) + " o WHERE \"At\" > " +
               TimestampLiteral(NowMicros() - int64_t{7} * 24 * 3600 * 1000000) +
               " AND NOT EXISTS (SELECT 1 FROM " + runs +
               " r WHERE r.\"Status\" = 'done' AND r.\"StartedAt\" > o.\"At\" AND r.\"Source\" = "
               "o.\"Source\" AND r.\"Schema\" = o.\"Schema\" AND r.\"Table\" = o.\"Table\") "
               "GROUP BY 1, 2 ORDER BY 1"));
  for (const Row& row : rows) {
    findings.push_back({"2.18",
                        row[0].value_or(""),
                        "the upkeep of the read objects was " + row[1].value_or("") + " " +
                            row[2].value_or("") + " time(s), last: " + row[4].value_or(""),
                        row[3].value_or(""),
                        "see LoadManagement.ReadObjectLog, mend the cause and "
                        "load the table again",
                        FeedScript(context.project, "load " + row[0].value_or("")),
                        {},
                        {}});
  }
  return findings;
}

}  // namespace weir::feed
