// SPDX-License-Identifier: Apache-2.0
//
// What is made of a change feed by a query over it.
//
// The net view: what a range of versions has changed in all. It is the sum of the feed's rows,
// inserts and post-images counting +1, deletes and pre-images -1: what is left is the difference of
// the table at both ends, whatever order the changes came in.
//
// The feed by row ids: of each commit the rows of removed files and of added files, less those that
// are in both with one row id and one row commit version, which were only copied. A row with two
// versions was updated.
#pragma once

#include "duckdb/function/table_function.hpp"

namespace weir::engine {

/// The function that by_row_id reads: as table_changes, but with the rows of removed and added
/// files as they are, and `_metadata` tells their row ids.
constexpr const char* kRowChanges = "weir_row_changes";

/// The options `net` (BOOLEAN) and `keys` (VARCHAR[], implies net).
void AddViewOptions(duckdb::TableFunction& function);

/// For TableFunction::bind_replace of a function that gives a change feed: the query over that same
/// feed that sums it up (net, keys) or finds it by row ids (by_row_id), or null when the options
/// ask for neither. In the net view a row that is there n times more or less comes n times; version
/// and time are those of the row's last change.
duckdb::unique_ptr<duckdb::TableRef> ReplaceByView(duckdb::ClientContext& context,
                                                   duckdb::TableFunctionBindInput& input);

/// The same for table_insertions and table_deletions.
duckdb::unique_ptr<duckdb::TableRef> ReplaceByInsertions(duckdb::ClientContext& context,
                                                         duckdb::TableFunctionBindInput& input);
duckdb::unique_ptr<duckdb::TableRef> ReplaceByDeletions(duckdb::ClientContext& context,
                                                        duckdb::TableFunctionBindInput& input);

}  // namespace weir::engine
