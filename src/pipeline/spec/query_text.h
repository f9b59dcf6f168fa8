// SPDX-License-Identifier: Apache-2.0
//
// From the queries and expressions of a definition file to SQL that the engine takes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "pipeline/spec/definitions.h"

namespace weir::pipeline {

/// Files in a folder: read_files('dir', format => 'json', ...), json.`dir` or STREAM 'dir'.
struct FileSourceSpec {
  std::string
      path;  ///< As written: a folder, a file or a pattern; relative to the project's folder.
  std::string format;  ///< json, csv or parquet; empty: by each file's extension.
  /// The other options, names in lower case, values without quotes.
  std::vector<std::pair<std::string, std::string>> options;
};

/// One place in a query that reads something other than a plain table: a stream, or files.
struct SourceReference {
  bool stream = false;
  std::string relation;  ///< The name that stands for it in RewrittenQuery::sql.
  QualifiedName table;   ///< Parts are empty for files.
  /// STREAM(t WITH (readChangeFeed => true)): the rows of the table's change feed instead of its
  /// appends.
  bool change_feed = false;
  FileSourceSpec files;

  bool is_files() const { return table.parts.empty(); }
  /// The table's name, or the path in quotes.
  std::string ToString() const;
};

struct RewrittenQuery {
  std::string sql;
  /// As written, but for the names that stand for its sources: what Spark takes.
  std::string spark_sql;
  std::vector<SourceReference> sources;
};

/// Rewrites a query of the Spark dialect for DuckDB: backticks become double quotes, struct(a, b)
/// becomes struct_pack, and each STREAM(...) or read_files(...) is replaced by the name `prefix` +
/// number, keeping the alias or, without one, the table's own name as alias. `catalog`, when given,
/// is left out of names like catalog.schema.table, so that they are found wherever the query is
/// typed. LIVE.name after FROM or JOIN is name, and cloud_files(...) a stream of read_files(...),
/// as Databricks spelled them before. All else is passed through byte for byte.
///
/// Errors: kInvalidArgument PARSE_SYNTAX_ERROR for a STREAM or read_files(...) that cannot be
/// understood.
Result<RewrittenQuery> RewriteQuery(std::string_view query, const std::string& prefix,
                                    const std::string& catalog = "");

/// The same for an expression, which reads no table. Same errors.
Result<std::string> RewriteExpression(std::string_view expression);

}  // namespace weir::pipeline
