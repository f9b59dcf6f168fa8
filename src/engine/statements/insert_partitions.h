// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/catalog/table_entry.h"
#include "engine/statements/write_mode.h"

namespace duckdb {
class ClientContext;
class InsertStatement;
}  // namespace duckdb

namespace weir::engine {

/// The setting of Spark's spark.sql.sources.partitionOverwriteMode: 'static' or 'dynamic'.
inline constexpr const char* kPartitionOverwriteMode = "weir_partition_overwrite_mode";

/// Gives the rows of an INSERT the static values of its PARTITION clause, and settles what an
/// INSERT OVERWRITE replaces: the whole table, the partitions that the clause names, or, when the
/// mode is dynamic and the table partitioned, those that the rows fall into. Throws
/// NON_PARTITION_COLUMN, and DuckDB's parser error for a value that is no expression.
void ApplyPartitions(duckdb::ClientContext& context, duckdb::InsertStatement& insert,
                     const WeirTableEntry& table, WriteTarget& target);

}  // namespace weir::engine
