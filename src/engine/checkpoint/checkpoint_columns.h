// SPDX-License-Identifier: Apache-2.0
//
// The columns of a Parquet file of the log, as far as it has them. Writers leave out columns and
// fields freely; what a file lacks reads as NULL.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "duckdb/common/types.hpp"
#include "duckdb/main/connection.hpp"

namespace weir::engine {

/// The schema of a file.
class CheckpointSchema {
 public:
  /// Reads it; throws what DuckDB throws for a file that is no Parquet file.
  CheckpointSchema(duckdb::Connection& connection, const std::string& file);

  /// The type at a path of names (ASCII case as given), or nullptr.
  const duckdb::LogicalType* Find(std::initializer_list<std::string_view> path) const;
  bool Has(std::initializer_list<std::string_view> path) const { return Find(path) != nullptr; }

 private:
  std::vector<std::string> names_;
  std::vector<duckdb::LogicalType> types_;
};

/// Builds `SELECT ... FROM read_parquet(file)`, keeping count of the columns.
class CheckpointQuery {
 public:
  CheckpointQuery(const CheckpointSchema& schema, std::string file)
      : schema_(schema), file_(std::move(file)) {}

  /// Asks for a column as `type`; NULLs when the file lacks it. Returns its number in the result.
  size_t Add(std::initializer_list<std::string_view> path, std::string_view type);
  /// Asks for a column as it is. The file must have it.
  size_t AddAsIs(std::initializer_list<std::string_view> path);
  std::string ToSql() const;

 private:
  const CheckpointSchema& schema_;
  std::string file_;
  std::vector<std::string> columns_;
};

/// Rows of a result, all vectors flat, chunk by chunk. Throws what the query throws.
void ForEachChunk(duckdb::Connection& connection, const std::string& sql,
                  const std::function<void(duckdb::DataChunk&)>& take);

}  // namespace weir::engine
