// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/session.h"

namespace weir::changes {

/// The query that gives the rows of `feed_sql` (a query with the columns of a change feed) as
/// change events in Debezium's form: the columns `before`, `after`, `source`, `op` (c, u, d; r for
/// the rows of a snapshot) and `ts_ms`, in the order of the commits. The two images of an update
/// are paired by `keys`, within their commit; an image without its other half, and every one
/// without keys, is a delete or an insert of its own. Errors: those of the query; kInvalidArgument
/// WEIR_CHANGE_KEY_NOT_FOUND names a key that is no column.
Result<std::string> DebeziumQuery(engine::Session& session, const std::string& feed_sql,
                                  const std::string& table, const std::vector<std::string>& keys,
                                  bool is_snapshot);

}  // namespace weir::changes
