// SPDX-License-Identifier: Apache-2.0
//
// Which files OPTIMIZE puts into order. Files that were ordered together make a cube, which their
// tags name (ZCUBE_ID, and in ZCUBE_ZORDER_BY the columns). New files are ordered with the cubes
// that are not much larger than they are, so a row is rewritten a number of times that grows with
// the logarithm of the table.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "delta/statistics/statistics_columns.h"
#include "engine/maintenance/compaction.h"

namespace weir::engine {

/// The columns that the table is clustered by (protocol section "Clustered Table"), by logical
/// names; empty for other tables. Errors: kCorruptLog DELTA_CLUSTERING_COLUMN_MISSING for a column
/// that the schema does not have, or a configuration that cannot be read.
Result<std::vector<delta::ColumnPath>> ClusteringColumns(const TableState& state);

/// The files to be clustered now, or with `full` all that are not clustered by these columns
/// together. Errors: as FileList::LoadStats.
Result<std::vector<CompactionBin>> PlanClustering(const TableState& state,
                                                  const std::vector<delta::ColumnPath>& columns,
                                                  bool full);

/// How the files of a cube are marked.
CompactionLayout ClusteringLayout(std::vector<delta::ColumnPath> columns);

/// All files that pass the filter, a bin for each partition.
Result<std::vector<CompactionBin>> PlanZOrder(const TableState& state, const FileFilter& filter);

/// The columns of ZORDER BY, as the statement spells them. Errors: kInvalidArgument
/// DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST, DELTA_ZORDERING_ON_PARTITION_COLUMN,
/// DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS.
Result<std::vector<delta::ColumnPath>> ZOrderColumns(const TableState& state,
                                                     const std::vector<std::string>& names);

}  // namespace weir::engine
