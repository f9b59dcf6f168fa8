// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace weir::engine {

/// Registers the change feed of a table in SQL:
///
///   table_changes('name', start [, end])             a table by its name, as in FROM
///   table_changes_by_path('path', start [, end])     a table by its path or URL
///
/// A bound is a version (an integer) or an instant (TIMESTAMP, TIMESTAMPTZ, DATE, text; without a
/// zone UTC); both are inclusive, without an end the feed goes up to the newest version. The
/// columns are the table's and `_change_type`, `_commit_version`, `_commit_timestamp`. Options:
///
///   net => true                  what the range has changed in all: rows that came and went are
///                                left out; a changed row is a delete and an insert, or
///   keys => ['id', ...]          an update_preimage and update_postimage of one key
///   by_row_id => true            changes are found by row ids, not by the feed, which need not be
///                                on; row tracking must. With net, row ids are the keys
///
/// and those of AddChangeOptions. Of the same feed
///
///   table_insertions('name', start [, end])   has the rows that came and the new images of updates
///   table_deletions('name', start [, end])    has the rows that went and the old images
///
/// Errors, all before the first row: those of delta::PlanChanges and ResolveTable;
/// DELTA_CDC_READ_NULL_RANGE_BOUNDARY; DELTA_TIMESTAMP_INVALID for a bound that is neither;
/// DELTA_CHANGE_DATA_FILE_NOT_FOUND; a key that is no column is an error of DuckDB's binder.
void RegisterTableChanges(duckdb::DatabaseInstance& db);

}  // namespace weir::engine
