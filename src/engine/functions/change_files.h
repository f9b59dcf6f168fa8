// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "duckdb/main/extension/extension_loader.hpp"

namespace weir::engine {

/// Registers what the log tells of a change feed:
///
///   table_change_files('table', start [, end])
///
/// The files that a feed over the range would read, one row each: `_commit_version`,
/// `_commit_timestamp`, `operation`, `change` (insert, delete, change_data), `path` as in the log,
/// `partition_values`, `size` of the file, and `rows`, how many of its rows are changes: NULL where
/// only the file itself can say, which is so for change data; `skipped_files`, how many added and
/// removed files of the commit are not read. A version without changes has one
/// row with NULL from `change` on. Reads no data. Arguments, options and errors are those of
/// table_changes.
///
///   table_change_range('table', start [, end])
///
/// The versions that these bounds mean: `first_version`, `last_version`, which is less where there
/// is nothing between them. Reads no more of the log than that takes.
///
///   table_change_metrics('table', start [, end])
///
/// How much has changed, by version, operation and `_change_type`: `rows`, `files` and `bytes`
/// (those of a change data file are shared among its types by their rows; that many rows of a file
/// may be all of it or some), the `partitions` that were touched and the `skipped_files` of the
/// whole commit. Data is read only where the log does not tell, and then only one column.
void RegisterChangeFiles(duckdb::ExtensionLoader& loader);

}  // namespace weir::engine
