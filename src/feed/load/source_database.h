// SPDX-License-Identifier: Apache-2.0
//
// Sources in PostgreSQL, MySQL and SQLite, read by DuckDB's own extensions for them.
#pragma once

#include <string>

#include "base/result.h"
#include "engine/session.h"
#include "feed/config/feed_project.h"

namespace weir::feed {

/// The database that a table comes from, attached read-only to the engine while this lives. For
/// tables that come from files or queries it does nothing.
class SourceDatabase {
 public:
  /// `table` must outlive this. Attaches nothing yet.
  SourceDatabase(engine::Session& session, const UsedTable& table)
      : session_(session), table_(table) {}
  ~SourceDatabase();
  SourceDatabase(const SourceDatabase&) = delete;
  SourceDatabase& operator=(const SourceDatabase&) = delete;

  /// Errors: kNotFound WEIR_FEED_SOURCE_MISSING (no server or file there), kUnsupportedFeature
  /// WEIR_FEED_SOURCE_EXTENSION (DuckDB's extension is not installed).
  Status Attach();

  /// What stands behind FROM: the table, or the rows of the query, which the server runs.
  std::string Relation() const;

 private:
  std::string name() const;

  engine::Session& session_;
  const UsedTable& table_;
  bool attached_ = false;
};

/// How messages name a source: its path, SELECT, or database and table, without any password.
std::string SourceName(const TableSource& from);

/// A message of DuckDB's about a source, in which the connection string, which may hold a
/// password, is left out.
std::string WithoutConnection(const TableSource& from, std::string message);

}  // namespace weir::feed
