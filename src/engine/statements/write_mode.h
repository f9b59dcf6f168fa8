// SPDX-License-Identifier: Apache-2.0
//
// What DuckDB's grammar has no words for (INSERT OVERWRITE, REPLACE WHERE, WITH SCHEMA EVOLUTION)
// and what Delta means otherwise (the star of a MERGE) reaches the catalog as an INSERT or MERGE
// into a table whose name carries the rest behind a unit separator (a byte that no folder of a
// warehouse may hold), so that binding, streaming and EXPLAIN are those of every statement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::engine {

/// How the rows of a statement meet those that are there.
enum class WriteMode {
  kAppend,
  kOverwrite,            ///< All rows of the table are replaced.
  kOverwritePartitions,  ///< All rows of the partitions that the new rows fall into are replaced.
  kReplaceWhere,  ///< The rows for which `condition` holds are replaced; new rows must satisfy it.
};

struct WriteTarget {
  std::string name;
  WriteMode mode = WriteMode::kAppend;
  std::string condition;  ///< DuckDB SQL over the table's columns; only with kReplaceWhere.
  /// New columns of the source become columns of the table, wider types its types.
  bool evolves = false;
  /// PARTITION (p = 1, q): columns, and for static ones the SQL of the value that all rows get.
  std::vector<std::pair<std::string, std::string>> partition;
  /// PrepareWrite has not yet seen the statement: the target cannot be looked up.
  bool is_pending = false;
  /// Which entry PrepareWrite has made for the statement.
  std::optional<uint64_t> prepared;
};

/// The table name that stands for `target` in DuckDB SQL: the name itself when nothing else is set.
std::string EncodeWriteTarget(const WriteTarget& target);

/// Undoes EncodeWriteTarget; a plain name is an append to it.
WriteTarget DecodeWriteTarget(std::string_view name);

/// A message of DuckDB's with plain names where it quotes encoded ones; the mark below a quoted
/// line moves along.
std::string WithoutWriteTargets(std::string message);

}  // namespace weir::engine
