// SPDX-License-Identifier: Apache-2.0
//
// INSERT OVERWRITE and INSERT ... REPLACE WHERE have no words in DuckDB's grammar. They reach the
// catalog as an INSERT into a table whose name carries the mode behind a unit separator (a byte
// that no folder of a warehouse may hold), so that binding, streaming and EXPLAIN are those of
// every INSERT.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::engine {

/// How the rows of an INSERT meet those that are there.
enum class WriteMode {
  kAppend,
  kOverwrite,     ///< All rows of the table are replaced (with dynamic overwrite: of the partitions
                  ///< written).
  kReplaceWhere,  ///< The rows for which `condition` holds are replaced; new rows must satisfy it.
};

struct WriteTarget {
  std::string name;
  WriteMode mode = WriteMode::kAppend;
  std::string condition;  ///< DuckDB SQL over the table's columns; only with kReplaceWhere.
};

/// The table name that stands for `target` in DuckDB SQL.
std::string EncodeWriteTarget(const WriteTarget& target);

/// Undoes EncodeWriteTarget; a plain name is an append to it.
WriteTarget DecodeWriteTarget(std::string_view name);

}  // namespace weir::engine
