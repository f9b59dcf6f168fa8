// SPDX-License-Identifier: Apache-2.0
//
// The engine as the layers above see it: a database that speaks SQL with all of Weir's tables,
// statements and functions, and no type of DuckDB's in sight.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace weir::engine {

struct DatabaseOptions {
  std::optional<std::string> memory_limit;  ///< DuckDB's spelling, e.g. "2GB".
  std::optional<int> threads;
  std::optional<std::string> temp_directory;
};

/// One column of a result.
struct ColumnInfo {
  std::string name;
  std::string type;  ///< DuckDB's spelling, e.g. "DECIMAL(10,2)".
};

/// What a statement gives back.
enum class ResultKind {
  kRows,         ///< A table of rows: SELECT, DESCRIBE, RETURNING.
  kChangedRows,  ///< One row with one integer: how many rows an INSERT, UPDATE, DELETE or MERGE
                 ///< changed.
  kNothing,      ///< Nothing worth showing: CREATE, SET.
};

/// The rows of a statement, streamed in batches. Not thread-safe; must not outlive its Session.
class QueryResult {
 public:
  virtual ~QueryResult() = default;

  virtual ResultKind kind() const = 0;
  virtual const std::vector<ColumnInfo>& columns() const = 0;
  /// Moves to the next batch; false at the end. Errors: whatever the statement met on the way.
  virtual Result<bool> NextBatch() = 0;
  /// Rows in the current batch.
  virtual size_t batch_size() const = 0;

  virtual bool IsNull(size_t column, size_t row) const = 0;
  /// The value as text (engine/result/value_text.h has the rules): timestamps `2024-01-31
  /// 12:34:56.789012` in UTC, binary as lower-case hex, nested values as JSON. Undefined for NULL.
  virtual std::string Text(size_t column, size_t row) const = 0;
  /// The value as JSON: integers of at most 64 bits, finite floats and booleans bare; decimals,
  /// dates, times as strings; NaN, Infinity, -Infinity as strings; binary as hex; nested values
  /// nested.
  virtual void AppendJson(size_t column, size_t row, std::string& out) const = 0;
  /// The value of a numeric column as an integer; 0 for NULL and for what is no number.
  virtual int64_t Int64(size_t column, size_t row) const = 0;
};

/// One connection. One statement at a time; not thread-safe, but Interrupt may come from any
/// thread.
class Session {
 public:
  virtual ~Session() = default;

  /// Runs one or more statements separated by semicolons and returns the last one's rows.
  /// Errors carry the name that the message began with in brackets, else WEIR_SQL_ERROR.
  virtual Result<std::unique_ptr<QueryResult>> Query(std::string_view sql) = 0;
  /// Runs statements for their effect.
  virtual Status Execute(std::string_view sql) = 0;
  /// Splits at top-level semicolons as the parser sees them, comments and quotes respected.
  virtual Result<std::vector<std::string>> SplitStatements(std::string_view sql) = 0;
  /// The first column of the first row as an integer; nullopt for no row or NULL.
  virtual Result<std::optional<int64_t>> QueryInt64(std::string_view sql) = 0;

  /// Attaches the warehouse folder `directory` as catalog `name` and makes it the default.
  virtual Status AttachWarehouse(const std::string& directory, const std::string& name) = 0;

  /// Whether a transaction that BEGIN has opened has changed something and waits for COMMIT.
  virtual bool HasUncommittedChanges() = 0;

  virtual void Interrupt() = 0;

  /// How far the running statement has come, 0 to 100; negative while that is unknown, or when
  /// TrackProgress was not called. May come from any thread.
  virtual double ProgressPercent() = 0;
  /// Lets the statements from here on tell their progress, which costs a little.
  virtual Status TrackProgress() = 0;
};

/// A DuckDB instance in memory with Weir loaded. Thread-safe.
class Database {
 public:
  static Result<std::unique_ptr<Database>> Open(const DatabaseOptions& options = {});
  virtual ~Database() = default;
  virtual Result<std::unique_ptr<Session>> Connect() = 0;
};

}  // namespace weir::engine
