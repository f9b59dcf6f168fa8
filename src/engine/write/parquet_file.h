// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "duckdb/common/types/column/column_data_collection.hpp"

#include "engine/write/parquet_format.h"

namespace weir::engine {

/// One Parquet file that is being written, row group by row group. Thread-safe: encoding runs in
/// parallel, only the writing itself is serialised. A file that is destroyed without Finish is
/// incomplete and its owner deletes it.
class ParquetFile {
 public:
  /// Creates the file. `format` must outlive it. Throws on input and output errors, as all below.
  ParquetFile(duckdb::ClientContext& context, const ParquetFormat& format, std::string path);

  /// Writes `rows` as one row group.
  void WriteRowGroup(duckdb::unique_ptr<duckdb::ColumnDataCollection> rows);
  /// Whether at least `bytes` are written.
  bool HasReached(int64_t bytes) const;
  /// Writes the footer and returns the size in bytes. Once, after all row groups.
  int64_t Finish();

  const std::string& path() const { return path_; }

 private:
  duckdb::ClientContext& context_;
  const ParquetFormat& format_;
  std::string path_;
  duckdb::unique_ptr<duckdb::GlobalFunctionData> state_;
  duckdb::CopyFunctionFileStatistics written_;
};

}  // namespace weir::engine
