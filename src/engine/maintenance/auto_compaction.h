// SPDX-License-Identifier: Apache-2.0
//
// Auto-compaction: tables with delta.autoOptimize.autoCompact are compacted behind a commit that
// has left many small files in a partition.
#pragma once

#include <string>

#include "duckdb/main/database.hpp"

#include "delta/commit/transaction.h"
#include "engine/maintenance/compaction.h"

namespace weir::engine {

/// How many small files of a partition are enough, as in Spark.
constexpr size_t kAutoCompactFiles = 50;

/// Whether the commit is one behind which compaction is to be looked for: it adds data to a table
/// with the property.
bool AsksForCompaction(const delta::Transaction& committed);

/// Compacts the table at `root` in a transaction of its own, if it has enough small files. The
/// commit has happened already, so nothing here fails it.
void RunAutoCompaction(duckdb::DatabaseInstance& db, const std::string& root);

/// The files of partitions with at least kAutoCompactFiles files below half of `target_size`.
FileFilter SmallFilesOfCrowdedPartitions(const TableState& state, int64_t target_size);

}  // namespace weir::engine
