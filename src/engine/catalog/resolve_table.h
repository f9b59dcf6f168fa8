// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "duckdb/common/optional_ptr.hpp"

#include "base/result.h"
#include "engine/catalog/table_entry.h"
#include "engine/catalog/table_state.h"

namespace duckdb {
class ClientContext;
}  // namespace duckdb

namespace weir::engine {

/// A table that a function or a command was asked for in text.
struct ResolvedTable {
  std::string name;  ///< For messages, as it was written.
  TableStatePtr state;
  /// Never null; lives until the transaction ends.
  duckdb::optional_ptr<WeirTableEntry> entry;
};

/// Finds the table that `text` names: `t`, `schema.t`, `catalog.schema.t`, each part bare, in
/// double quotes or in backticks; or a path, `/a/b`, `s3://b/t`, delta.`/a/b`. A name is looked up
/// by DuckDB's search path, a table of this transaction included; a path is loaded at its newest
/// version. Errors: kNotFound DELTA_TABLE_NOT_FOUND; kInvalidArgument PARSE_SYNTAX_ERROR for text
/// that is no name, WEIR_NOT_A_DELTA_TABLE for a table of another kind; as delta::Snapshot::Load.
Result<ResolvedTable> ResolveTable(duckdb::ClientContext& context, std::string_view text);

/// The table at a path or URL, as this transaction sees it. Errors: as ResolveTable.
Result<ResolvedTable> ResolveTablePath(duckdb::ClientContext& context, const std::string& path);

/// Where a table is, or would be made.
struct TablePlace {
  std::string name;  ///< For messages, as it was written.
  delta::TableLog log;
  /// The folder that its data files may lie in: the warehouse, or for a table that is named by its
  /// path the table's own.
  std::string allowed_root;
  bool exists = false;  ///< Whether a log is there, be it readable or not.
  /// Whether its catalog was attached READ_ONLY.
  bool is_read_only = false;
};

/// As ResolveTable, for a command that may make the table: that there is none is no error. What the
/// running transaction has written is not looked at, and no log is read. Errors: as ResolveTable
/// but for a table that is missing, those of Warehouse::CheckName; kNotFound SCHEMA_NOT_FOUND.
Result<TablePlace> ResolvePlace(duckdb::ClientContext& context, std::string_view text);

}  // namespace weir::engine
