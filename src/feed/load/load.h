// SPDX-License-Identifier: Apache-2.0
//
// `weir feed load` and `weir feed reset`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "feed/config/feed_project.h"
#include "feed/load/load_log.h"
#include "feed/load/table_load.h"

namespace weir::feed {

/// A session on the project's warehouse (catalog `warehouse`), its `setup` statements run and
/// relative paths of queries starting at the project's folder. The first session of a database
/// attaches the warehouse; a missing local folder is made when `may_create`. Errors: kNotFound
/// WEIR_FEED_WAREHOUSE_MISSING; those of the statements.
Result<std::unique_ptr<engine::Session>> OpenWarehouse(engine::Database& database,
                                                       const FeedProject& project, bool may_create,
                                                       bool first = true);

struct LoadResult {
  std::string run_id;
  std::vector<TableReport> tables;
  /// What went wrong with read objects; that fails no load.
  std::vector<std::string> warnings;
};

/// Loads tables, several at once; a table that fails stops no other. Then brings the read objects
/// of the tables on DL alone up to date. `table_done` hears of each table, from one thread at a
/// time.
///
/// Errors, before anything is written: WEIR_FEED_RUN_ID_INVALID; those of OpenWarehouse;
/// WEIR_FEED_ALREADY_RUNNING (kConflictRetryable). What happens to a table is in its report.
Result<LoadResult> LoadTables(engine::Database& database, const FeedProject& project,
                              const std::vector<const UsedTable*>& tables, LoadOptions options,
                              const std::function<void(const TableReport&)>& table_done);

/// Drops the index of tables, so that the next load sends all that is present as I rows (and D rows
/// for what the feed still shows and the source has no more). Returns the names of the indexes that
/// were there. Errors: as LoadTables.
Result<std::vector<std::string>> ResetIndexes(engine::Database& database,
                                              const FeedProject& project,
                                              const std::vector<const UsedTable*>& tables);

}  // namespace weir::feed
