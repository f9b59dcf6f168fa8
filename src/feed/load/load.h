// SPDX-License-Identifier: Apache-2.0
//
// `weir feed load` and `weir feed reset`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
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

/// Hears how a load goes on, from one thread at a time.
class LoadObserver {
 public:
  virtual ~LoadObserver() = default;

  /// Whether `percent` of TableAt shall tell something, which costs a little.
  virtual bool WantsPercent() const = 0;
  /// A table has come to a phase: "reads", then "writes". `percent` tells how far the statement
  /// that runs has come, 0 to 100 or negative while that is unknown; it may be called from any
  /// thread, until TableDone.
  virtual void TableAt(const UsedTable& table, std::string_view phase,
                       std::function<double()> percent) = 0;
  virtual void TableDone(const TableReport& report) = 0;
};

/// Loads tables, several at once; a table that fails stops no other. Then brings the read objects
/// of the tables on DL alone up to date.
///
/// Errors, before anything is written: WEIR_FEED_RUN_ID_INVALID; those of OpenWarehouse;
/// WEIR_FEED_ALREADY_RUNNING (kConflictRetryable). What happens to a table is in its report.
Result<LoadResult> LoadTables(engine::Database& database, const FeedProject& project,
                              const std::vector<const UsedTable*>& tables, LoadOptions options,
                              LoadObserver& observer);

/// Drops the index of tables, so that the next load sends all that is present as I rows (and D rows
/// for what the feed still shows and the source has no more). Returns the names of the indexes that
/// were there. Errors: as LoadTables.
Result<std::vector<std::string>> ResetIndexes(engine::Database& database,
                                              const FeedProject& project,
                                              const std::vector<const UsedTable*>& tables);

}  // namespace weir::feed
