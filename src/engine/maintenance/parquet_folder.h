// SPDX-License-Identifier: Apache-2.0
//
// A folder of Parquet files, perhaps partitioned as Hive does (`p=a/q=1/x.parquet`), as the content
// of a table that is to be.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/schema/types.h"
#include "storage/object_store.h"

namespace duckdb {
class ClientContext;
}

namespace weir::engine {

struct ParquetFolder {
  delta::TypePtr
      schema;  ///< The files' columns in the order of their first sight, then partitions.
  std::vector<std::string> partition_columns;
  std::vector<delta::AddFile> files;  ///< By path; relative to the folder.
};

struct ParquetFolderOptions {
  /// Names and types (DuckDB's spelling) of the partition columns, in the folders' order. Unset: by
  /// the folders' names, with the type that all values have: integer, bigint, date, else string.
  std::optional<std::vector<std::pair<std::string, std::string>>> partitions;
  /// Whether the files' statistics are computed, for which they are read.
  bool statistics = true;
};

/// Looks through the folder; files and folders that begin with `_` or `.` are passed over. A column
/// that some files lack is NULL there. Errors: kNotFound DELTA_EMPTY_DIRECTORY without any file;
/// kInvalidArgument DELTA_FAILED_MERGE_SCHEMA_FILE where two files have other types in one column,
/// DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME,
/// DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME, DELTA_FAILED_CAST_PARTITION_VALUE,
/// DELTA_DUPLICATE_COLUMNS_FOUND; kUnsupportedFeature DELTA_UNSUPPORTED_DATA_TYPE; for a file that
/// is no Parquet, DuckDB's error.
Result<ParquetFolder> ReadParquetFolder(duckdb::ClientContext& context, storage::ObjectStore& store,
                                        const std::string& root,
                                        const ParquetFolderOptions& options);

}  // namespace weir::engine
