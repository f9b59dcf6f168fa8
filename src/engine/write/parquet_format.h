// SPDX-License-Identifier: Apache-2.0
//
// DuckDB's Parquet writer, told how Delta wants its files: physical column names, field ids under
// column mapping, and the table's compression.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duckdb/function/copy_function.hpp"
#include "duckdb/main/client_context.hpp"

#include "delta/schema/types.h"

namespace weir::engine {

/// A column of a file to be written.
struct FileColumn {
  std::string name;  ///< As it stands in the file.
  duckdb::LogicalType type;
  /// The table's field, for field ids and the physical names of nested fields; null for a column
  /// that the schema does not have (row ids, _change_type).
  const delta::StructField* field = nullptr;
  /// An id for a column without a field.
  std::optional<int32_t> field_id = std::nullopt;
};

/// The layout of a kind of file, shared by all files of one statement. Thread-safe once made.
class ParquetFormat {
 public:
  /// `codec` is DuckDB's or Spark's name: "zstd", "snappy", "uncompressed" or "none", "gzip",
  /// "lz4", "brotli". Throws for a codec that is none of these (DELTA_INVALID_COMPRESSION_CODEC).
  ParquetFormat(duckdb::ClientContext& context, const std::vector<FileColumn>& columns,
                const std::string& codec, bool with_field_ids);

  const duckdb::CopyFunction& function() const { return function_; }
  duckdb::FunctionData& bind_data() const { return *bind_data_; }
  /// The types of a chunk that is written; nested names are the physical ones.
  const duckdb::vector<duckdb::LogicalType>& types() const { return types_; }
  /// The codec as file names spell it: "zstd", "snappy", or "" without one.
  const std::string& codec() const { return codec_; }

 private:
  duckdb::CopyFunction function_;
  duckdb::unique_ptr<duckdb::FunctionData> bind_data_;
  duckdb::vector<duckdb::LogicalType> types_;
  std::string codec_;
};

}  // namespace weir::engine
