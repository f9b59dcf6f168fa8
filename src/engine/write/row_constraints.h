// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "duckdb/common/types/data_chunk.hpp"

#include "engine/write/table_layout.h"

namespace weir::engine {

/// What must hold for every row that is written: NOT NULL, also of nested fields, and values that
/// Delta can store (DuckDB's infinite dates and timestamps are none). Immutable; one for all
/// threads.
class RowConstraints {
 public:
  RowConstraints(std::shared_ptr<const TableLayout> layout, std::string table);

  /// `rows` begin with the table's columns. Throws kConstraintViolated
  /// DELTA_NOT_NULL_CONSTRAINT_VIOLATED, kInvalidArgument DELTA_VALUE_NOT_REPRESENTABLE, naming
  /// table and column.
  void Check(duckdb::DataChunk& rows) const;

 private:
  void CheckField(duckdb::Vector& values, size_t count, const delta::StructField& field,
                  const std::string& parent, const duckdb::ValidityMask& parent_valid) const;

  const std::shared_ptr<const TableLayout> layout_;
  const std::string table_;
};

}  // namespace weir::engine
