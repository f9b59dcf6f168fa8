// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/session.h"
#include "feed/config/feed_project.h"
#include "feed/load/load_log.h"

namespace weir::feed {

struct LoadOptions {
  std::string run_id;  ///< Letters, digits, '.', '_' and '-'.
  bool full = false;   ///< DELTA and DELTAIMAGE bring the whole table this once, as RELOAD does.
};

/// Loads one table: stages its rows once, then brings index and feed file, and beside them the
/// history, in line with them. All or nothing: what fails or was stopped half way is taken back, by
/// this call or by the next one for this table. The last run of a table may be repeated under its
/// own id: it is taken back and made again, under its own date.
///
/// `lake` and `dwh` are two sessions of one database, with the warehouse attached. The caller holds
/// the feed's lock and has made the log tables. `at_phase` hears "reads" and "writes" in turn.
///
/// Errors (in the report): those of StageRows; kInvalidArgument WEIR_FEED_LAKE_LOCATION_UNSET,
/// WEIR_FEED_RUN_SUPERSEDED (an earlier run than the table's last); those of the warehouse.
TableReport LoadTable(const FeedProject& project, const UsedTable& table,
                      const LoadOptions& options, engine::Session& lake, engine::Session& dwh,
                      const std::function<void(std::string_view)>& at_phase);

}  // namespace weir::feed
