// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duckdb/common/types/data_chunk.hpp"
#include "duckdb/execution/expression_executor.hpp"

#include "engine/write/table_expression.h"
#include "engine/write/table_layout.h"
#include "engine/write/text_length_check.h"

namespace weir::engine {

/// What must hold for every row that is written: NOT NULL, also of nested fields; values that Delta
/// can store (DuckDB's infinite dates and timestamps are none); the lengths of CHAR and VARCHAR;
/// CHECK constraints, invariants, and generated columns. Immutable; one for all threads, each with
/// a Local.
class RowConstraints {
 public:
  /// With `replace_condition` new rows must satisfy that too. Throws as BindRowRules.
  RowConstraints(duckdb::ClientContext& context, std::shared_ptr<const TableLayout> layout,
                 const WeirTableEntry& table, const std::string& replace_condition);

  /// What one thread evaluates with.
  struct Local {
    std::vector<std::unique_ptr<duckdb::ExpressionExecutor>> rules;
    std::vector<std::unique_ptr<duckdb::ExpressionExecutor>> generated;
  };
  Local NewLocal() const;

  /// Sets the generated columns among `columns` of `rows`, which begin with the table's columns.
  void Compute(Local& local, const std::vector<size_t>& columns, duckdb::DataChunk& rows) const;

  /// Throws kConstraintViolated DELTA_NOT_NULL_CONSTRAINT_VIOLATED,
  /// DELTA_VIOLATE_CONSTRAINT_WITH_VALUES, DELTA_EXCEED_CHAR_VARCHAR_LIMIT; kInvalidArgument
  /// DELTA_VALUE_NOT_REPRESENTABLE; each names table, column or constraint, and the row.
  void Check(Local& local, duckdb::DataChunk& rows) const;

 private:
  void CheckField(duckdb::Vector& values, size_t count, const delta::StructField& field,
                  const std::string& parent, const duckdb::ValidityMask& parent_valid) const;
  void CheckRule(duckdb::ExpressionExecutor& executor, const RowRule& rule,
                 duckdb::DataChunk& rows) const;

  duckdb::ClientContext& context_;
  const std::shared_ptr<const TableLayout> layout_;
  const std::string table_;
  const TextLengthCheck text_lengths_;
  std::vector<RowRule> rules_;
  const std::vector<GeneratedColumn> generated_;
};

}  // namespace weir::engine
