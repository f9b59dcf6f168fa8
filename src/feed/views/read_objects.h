// SPDX-License-Identifier: Apache-2.0
//
// The read objects of tables on DL alone: DL.<Table>_Feed_g<N>, the files of one generation;
// DL.<Table>_Feed, all mutations; DL.<Table>, the versions as a history table has them. They are
// views in a DuckDB database file, which any DuckDB client opens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "feed/config/feed_project.h"
#include "feed/load/generations.h"

namespace weir::feed {

enum class Dialect { kDuckDB, kSpark, kTSql, kFabric };

/// One view.
struct ReadObject {
  std::string name;   ///< Without schema, e.g. Customers_Feed_g1.
  std::string query;  ///< The SELECT, in the dialect asked for.
};

/// The read objects of a table, in the order in which they build on each other. `generations` are
/// all that the table has had; those without files get no object of their own outside DuckDB.
/// Columns that a generation does not know are NULL. DL.<Table> has the business columns, ETL_Date,
/// ETL_EndDate, IsCurrent, KeyHash, RowHash, YresYear and YresMonth; the load type ADDITIONAL knows
/// no versions.
std::vector<ReadObject> ReadObjectsOf(const FeedProject& project, const UsedTable& table,
                                      const std::vector<Generation>& generations,
                                      const std::vector<bool>& has_files, Dialect dialect);

/// A script that makes the read objects of `tables`. Errors: kNotFound WEIR_FEED_NOT_LOADED for a
/// table without a feed; WEIR_FEED_LAKE_LOCATION_UNSET.
Result<std::string> ReadObjectScript(engine::Session& session, const FeedProject& project,
                                     const std::vector<const UsedTable*>& tables, Dialect dialect);

/// Brings the views of `tables` in the read database up to date. What fails there is logged in
/// LoadManagement.ReadObjectLog and returned as warnings. Errors: the log cannot be written.
Result<std::vector<std::string>> KeepReadObjects(engine::Session& session,
                                                 const FeedProject& project,
                                                 const std::vector<const UsedTable*>& tables,
                                                 const std::string& run_id);

/// The views that the read database has in the schema SchemaDL. Empty without a database. Errors:
/// WEIR_FEED_READ_DATABASE when it cannot be opened.
Result<std::vector<std::string>> PresentReadObjects(engine::Session& session,
                                                    const FeedProject& project);

/// The names that a table's read objects have or have had: <Table>, <Table>_Feed, <Table>_Feed_g1.
bool IsReadObjectOf(const UsedTable& table, std::string_view name);

}  // namespace weir::feed
