// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duckdb/common/types.hpp"

#include "delta/schema/types.h"
#include "delta/statistics/statistics_columns.h"
#include "engine/catalog/table_state.h"
#include "engine/write/statistics_collector.h"

namespace weir::engine {

/// All that a writer must know of a table: which columns stand in files and which in paths, under
/// which names, and what the table's features and properties ask for. Made once per statement;
/// immutable, shared by its threads.
struct TableLayout {
  struct Column {
    delta::StructField field;
    duckdb::LogicalType type;
    bool is_partition = false;
  };

  std::vector<Column> columns;            ///< In the order of the schema, as DuckDB sees the table.
  std::vector<size_t> partition_columns;  ///< Indexes into columns, in the order of the metadata.
  /// Indexes of the columns that stand in data files; those of the partition are among them where
  /// the feature materializePartitionColumns or Iceberg compatibility says so.
  std::vector<size_t> data_columns;

  std::vector<StatisticsField> statistics_fields;  ///< One per data column.
  std::vector<delta::StatisticsColumn> statistics_columns;

  std::string codec;
  int64_t target_file_size = 0;
  bool column_mapping = false;
  bool deletion_vectors_supported = false;
  bool deletion_vectors_enabled = false;  ///< New vectors are to be written.
  bool change_feed_enabled = false;
  bool append_only = false;
  bool shreds_variants = false;  ///< Parts of variants may stand in columns of their own.
  /// Set when rows are tracked: the names of the columns that hold carried ids and commit versions.
  std::optional<std::string> row_id_column;
  std::optional<std::string> row_commit_version_column;
  bool iceberg_row_ids = false;  ///< Those two have Iceberg's field ids.

  /// The partition of a file, in the spelling of SerializePartitionValue whoever wrote it. Throws
  /// DELTA_PARTITION_VALUE_NOT_PARSABLE.
  std::vector<std::optional<std::string>> PartitionOf(const delta::AddFile& file) const;

  bool tracks_rows() const { return row_id_column.has_value(); }

  /// Throws for a property that cannot be read, and DELTA_PARTITION_COLUMN_NOT_FOUND for metadata
  /// that name a partition column which the schema lacks.
  static std::shared_ptr<const TableLayout> Of(const TableState& state);
};

}  // namespace weir::engine
