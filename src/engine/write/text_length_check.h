// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "duckdb/common/types/data_chunk.hpp"

#include "delta/schema/types.h"
#include "engine/write/table_layout.h"

namespace weir::engine {

/// That texts are no longer than the CHAR(n) and VARCHAR(n) of a table's columns allow, at any
/// depth. Immutable.
class TextLengthCheck {
 public:
  explicit TextLengthCheck(const TableLayout& layout);

  /// `rows` begin with the table's columns. Throws kConstraintViolated
  /// DELTA_EXCEED_CHAR_VARCHAR_LIMIT, which names the column and the text.
  void Check(duckdb::DataChunk& rows, const std::string& table) const;

 private:
  struct Column {
    size_t place = 0;
    std::string name;
    delta::TypePtr type;  ///< as declared
  };

  std::vector<Column> columns_;
};

}  // namespace weir::engine
