// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "duckdb/common/types/column/column_data_collection.hpp"
#include "duckdb/main/client_context.hpp"

namespace weir::engine {

/// Rows that wait to become a row group. Few rows take little memory, and many can be spilled, so
/// that a statement may have a buffer for each of thousands of partitions. Not thread-safe.
class RowBuffer {
 public:
  /// With `is_one_of_many` memory matters more than the time of an append.
  RowBuffer(duckdb::ClientContext& context, const duckdb::vector<duckdb::LogicalType>& types,
            bool is_one_of_many);
  ~RowBuffer();

  void Append(duckdb::DataChunk& rows);
  /// Takes all rows out of `other`, a buffer of the same types.
  void Absorb(RowBuffer& other);

  size_t rows() const;
  /// Whether the buffer holds at least `rows` rows or, roughly, `bytes`.
  bool HasReached(size_t rows, size_t bytes) const;
  /// All rows, unpinned. The buffer is empty then and must not be used again.
  duckdb::unique_ptr<duckdb::ColumnDataCollection> Take();

 private:
  void AppendToFew(duckdb::DataChunk& rows);
  void Store(duckdb::DataChunk& rows);
  void StoreFew();

  duckdb::ClientContext& context_;
  const duckdb::vector<duckdb::LogicalType> types_;
  const bool is_one_of_many_;
  std::unique_ptr<duckdb::DataChunk> few_;  // less than a vector of rows; null for none
  duckdb::unique_ptr<duckdb::ColumnDataCollection> stored_;  // null before the first
  duckdb::ColumnDataAppendState append_;
  size_t stores_ = 0;
};

}  // namespace weir::engine
