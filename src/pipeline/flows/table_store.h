// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "pipeline/flows/sql_type.h"
#include "pipeline/spec/definitions.h"

namespace weir::pipeline {

/// How a table is to be made.
struct TableShape {
  std::vector<Column> columns;
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<std::string> partition_columns;
  std::vector<std::string> cluster_columns;
  std::string comment;
};

/// What flows need of the warehouse's tables beyond queries and DML. Bound to one session; not
/// thread-safe.
class TableStore {
 public:
  virtual ~TableStore() = default;

  /// The table's columns; nullopt when there is no such table.
  virtual Result<std::optional<std::vector<Column>>> Columns(const QualifiedName& table) = 0;
  /// The table's properties. Errors: kNotFound.
  virtual Result<std::map<std::string, std::string>> Properties(const QualifiedName& table) = 0;
  /// The folder of the table. Errors: kNotFound.
  virtual Result<std::string> Location(const QualifiedName& table) = 0;
  /// Makes a table, with its schema when that is missing. `replace`: an old table's rows, columns
  /// and properties give way, its history stays.
  virtual Status Create(const QualifiedName& table, const TableShape& shape, bool replace) = 0;
  /// Makes or replaces a table with the rows of a query, in one commit; returns how many there are.
  virtual Result<int64_t> Replace(const QualifiedName& table, const TableShape& shape,
                                  const std::string& query) = 0;
  /// Removes all rows of a table that may be missing.
  virtual Status Empty(const QualifiedName& table) = 0;
  /// Adds columns at the end.
  virtual Status AddColumns(const QualifiedName& table, const std::vector<Column>& columns) = 0;
  /// Gives a column a wider type; the table must have delta.enableTypeWidening.
  virtual Status WidenColumn(const QualifiedName& table, const Column& column) = 0;
  virtual Status SetProperty(const QualifiedName& table, const std::string& key,
                             const std::string& value) = 0;

  /// The number of the last batch that `application` has committed to the table.
  virtual Result<std::optional<int64_t>> LastBatch(const QualifiedName& table,
                                                   const std::string& application) = 0;
  /// The newest version of the table whose commit is not younger than a time, given in microseconds
  /// since 1970, UTC; nullopt when the table's history does not go back so far.
  virtual Result<std::optional<int64_t>> VersionBefore(const QualifiedName& table,
                                                       int64_t time_us) = 0;
  /// Runs one DML statement on the table as its own commit, which records the batch.
  virtual Status Commit(const QualifiedName& table, const std::string& application, int64_t batch,
                        const std::string& statement) = 0;
};

}  // namespace weir::pipeline
