// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duckdb/common/multi_file/multi_file_data.hpp"
#include "duckdb/function/table_function.hpp"

#include "delta/deletion_vectors/row_bitmap.h"
#include "engine/catalog/read_log.h"
#include "engine/catalog/table_state.h"
#include "engine/scan/change_feed.h"
#include "engine/scan/columns.h"

namespace weir::engine {

class WeirTableEntry;

/// Of a scan that is for some rows alone: by file number, the rows it reads; null means all.
using ChosenRows = std::vector<std::shared_ptr<const delta::RowBitmap>>;

/// What stays the same over all files and copies of one bound scan. Immutable.
struct ScanSource {
  TableStatePtr state;
  std::string name;  ///< What messages call the table.
  duckdb::optional_ptr<WeirTableEntry> entry;
  /// Where the scan says what it reads; null when nobody needs to know.
  std::shared_ptr<ReadLog> reads;
  ColumnMappingMode mode = ColumnMappingMode::kNone;
  duckdb::vector<duckdb::MultiFileColumnDefinition> columns;
  /// For each column: its place in Metadata::partition_columns, or -1.
  std::vector<int> partition_of;
  /// Of a scan of changes; else null.
  ChangeFeedPtr changes;
  /// Empty means all rows.
  ChosenRows chosen_rows;
  /// Files outside of this folder are refused unless allow_external.
  std::string allowed_root;
  bool allow_external = false;
};
using ScanSourcePtr = std::shared_ptr<const ScanSource>;

/// Carries the source to the places where DuckDB creates the reader.
struct ScanFunctionInfo final : duckdb::TableFunctionInfo {
  explicit ScanFunctionInfo(ScanSourcePtr source) : source(std::move(source)) {}
  ScanSourcePtr source;
};

}  // namespace weir::engine
