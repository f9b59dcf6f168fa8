// SPDX-License-Identifier: Apache-2.0
//
// CREATE TABLE ... CLUSTER BY and ALTER TABLE ... CLUSTER BY, which DuckDB's grammar calls SORTED
// BY.
#pragma once

#include <string>
#include <vector>

#include "duckdb/parser/parsed_data/alter_table_info.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"

#include "delta/clustering/clustering_columns.h"
#include "engine/catalog/transaction.h"

namespace weir::engine {

/// The columns as they are named. Throws kInvalidArgument DELTA_COLUMN_NOT_FOUND_IN_SCHEMA for an
/// expression that is no column.
std::vector<delta::ClusteringColumn> ClusterByColumns(const duckdb::CreateTableInfo& create);

/// Makes `table` cluster by other columns, or none; the files stay as they are until they are
/// optimised. Throws as delta::ResolveClusteringColumns; kInvalidArgument
/// DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED.
void AlterClustering(WeirTransaction& transaction, WeirTableEntry& table,
                     const duckdb::SetSortedByInfo& info);

/// As commitInfo has a list of columns.
std::string ClusterByText(const std::vector<delta::ClusteringColumn>& columns);

}  // namespace weir::engine
