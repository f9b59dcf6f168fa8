// SPDX-License-Identifier: Apache-2.0
//
// Every statement that changes rows, as a list of clauses over one stream of input rows: an INSERT
// is one clause for rows without a target, a DELETE or UPDATE one for rows with one, a MERGE has as
// many as it has WHENs.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duckdb/planner/expression.hpp"

namespace weir::engine {

/// What an input row stands for.
enum class RowClass {
  kMatched,             ///< A target row, with a source row where there is a source.
  kNotMatchedByTarget,  ///< A source row alone.
  kNotMatchedBySource,  ///< A target row alone.
};
inline constexpr size_t kRowClasses = 3;

enum class RowAction { kInsert, kUpdate, kDelete, kError, kNothing };

/// "WHEN <class> [AND condition] THEN action". Of a class's clauses the first whose condition is
/// true takes the row.
struct RowClause {
  RowAction action = RowAction::kNothing;
  /// Over the input row; null is true.
  duckdb::unique_ptr<duckdb::Expression> condition;
  /// Of an insert or update: the new row, one expression per table column (NULL for those kept or
  /// computed). Empty when the input row
  /// is the new row. Of kError: the message, if any.
  duckdb::vector<duckdb::unique_ptr<duckdb::Expression>> image;
  /// Of an update: table columns that keep the old row's values, which the input row does not have.
  std::vector<size_t> kept;
  /// Table columns that the statement leaves to their generation expressions.
  std::vector<size_t> computed;
  /// For messages: "WHEN MATCHED AND ...".
  std::string description;
};

/// A statement. Immutable after planning; shared by its threads.
struct RowChangeSpec {
  enum class Kind { kInsert, kCreateTableAs, kDelete, kUpdate, kMerge };

  Kind kind = Kind::kInsert;
  std::array<std::vector<RowClause>, kRowClasses> clauses;  ///< By RowClass.
  /// Places in the input row. Position columns: file number, row in the file, and the row's id
  /// where rows are tracked. Unset for statements without target rows.
  std::optional<size_t> position_start;
  /// NULL in rows without a source; set when the statement has clauses NOT MATCHED BY SOURCE.
  std::optional<size_t> source_marker;
  bool returning = false;
  /// A DELETE without WHERE, or INSERT OVERWRITE: all files go, and no row is read.
  bool deletes_all = false;
  /// An INSERT that replaces whole partitions: those into which its rows fall.
  bool replaces_partitions = false;
  /// Of INSERT ... REPLACE WHERE, which also deletes: what the new rows must satisfy. DuckDB SQL.
  std::string replace_condition;
  /// Of a MERGE: the rows of its source so far, where they can be counted.
  std::shared_ptr<std::atomic<int64_t>> source_rows;
  /// Operation parameters for the commit: the WHERE clause or the MERGE condition, for people.
  std::string predicate;

  bool has_target() const { return position_start.has_value(); }
  /// Whether a clause may update or delete.
  bool may_change_rows() const;
  /// Whether many source rows may delete one target row: a DELETE, or a MERGE whose only matched
  /// clause is an unconditional delete.
  bool may_delete_twice() const;
};

}  // namespace weir::engine
