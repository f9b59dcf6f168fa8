// SPDX-License-Identifier: Apache-2.0
#include "changes/change_metrics.h"

namespace weir::changes {

std::string MetricsQuery(const FeedTable& table, const FeedRange& range,
                         const std::string& options) {
  return "SELECT _commit_version AS version, _commit_timestamp AS timestamp, operation, "
         "_change_type AS change_type, sum(rows)::BIGINT AS rows, sum(bytes)::BIGINT AS bytes, "
         "sum(files)::BIGINT AS files, max(partitions) AS partitions, "
         "count(DISTINCT _commit_version) AS commits, sum(skipped_files)::BIGINT AS skipped_files "
         "FROM " +
         FeedCall("table_change_metrics", table, range, options) +
         " GROUP BY GROUPING SETS ((_commit_version, _commit_timestamp, operation, _change_type), "
         "(operation, _change_type)) ORDER BY version NULLS LAST, operation, change_type";
}

}  // namespace weir::changes
