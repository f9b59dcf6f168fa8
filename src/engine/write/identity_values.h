// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "duckdb/common/types/data_chunk.hpp"

#include "delta/identity/identity_columns.h"
#include "engine/catalog/table_state.h"

namespace weir::engine {

/// Counts out the values of a table's identity columns to the threads of one statement, without
/// gaps. Thread-safe.
class IdentityValues {
 public:
  /// Throws as delta::IdentityOf.
  IdentityValues(const TableState& state, const std::string& table);

  /// Gives the rows fresh values in `column` where that is an identity column; else does nothing.
  /// Throws kInvalidArgument ARITHMETIC_OVERFLOW when there are none left.
  void Fill(size_t column, duckdb::DataChunk& rows);

  /// The table's schema with the marks moved to the last values given; the schema itself when none
  /// was. After the last Fill.
  delta::TypePtr MovedMarks(const delta::TypePtr& schema) const;

 private:
  struct Column {
    delta::StructField field;
    delta::Identity identity;
    std::atomic<int64_t> given{0};
  };

  const std::string table_;
  std::map<size_t, Column> columns_;
};

}  // namespace weir::engine
