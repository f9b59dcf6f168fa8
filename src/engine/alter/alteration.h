// SPDX-License-Identifier: Apache-2.0
//
// ALTER TABLE: a change of a table's metadata, whichever spelling it was given in. It begins as
// what the table is, is edited by one of the functions here, and is written into the running
// transaction, which commits it as Spark would: with the protocol that it needs, and with Spark's
// name for the operation.
//
// All functions throw DuckDB exceptions. What is refused is refused before anything is written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duckdb/main/client_context.hpp"

#include "base/json.h"
#include "delta/actions/actions.h"
#include "delta/schema/schema_edit.h"
#include "delta/schema/types.h"
#include "engine/catalog/table_entry.h"

namespace weir::engine {

struct Alteration {
  /// `table` as the transaction sees it, unchanged.
  Alteration(duckdb::ClientContext& context, WeirTableEntry& table);

  duckdb::ClientContext& context;
  WeirTableEntry& table;
  delta::TypePtr schema;
  delta::Metadata metadata;
  std::string operation;
  JsonValue parameters = JsonValue::Object();
  /// False when there is nothing to do (IF EXISTS, IF NOT EXISTS).
  bool is_changed = true;
  /// Rows were looked at: a concurrent append is a conflict.
  bool reads_rows = false;
};

/// Adds the change to the table's commit and makes it visible to the transaction's later
/// statements. Throws as AdoptMetadata and WeirTransaction::WriterFor.
void WriteAlteration(Alteration change);

// Properties.

/// SET TBLPROPERTIES; `comment` is the table's comment. Throws kInvalidArgument
/// DELTA_UNKNOWN_CONFIGURATION, UNSUPPORTED_TABLE_CHANGE or DELTA_INVALID_INTERVAL for a value that
/// the property cannot have, DELTA_ADD_CONSTRAINTS, DELTA_CANNOT_MODIFY_TABLE_PROPERTY,
/// UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY (location, provider, owner).
void SetProperties(Alteration& change, const delta::StringMap& properties);
/// UNSET TBLPROPERTIES. As in Spark, a key that is not set is no error, IF EXISTS or not.
void UnsetProperties(Alteration& change, const std::vector<std::string>& keys);
/// COMMENT ON TABLE.
void SetTableComment(Alteration& change, const std::optional<std::string>& comment);

// CHECK constraints.

/// Checks every row of the table. Throws DELTA_CONSTRAINT_ALREADY_EXISTS,
/// DELTA_NON_BOOLEAN_CHECK_CONSTRAINT, UNRESOLVED_COLUMN.WITH_SUGGESTION, PARSE_SYNTAX_ERROR,
/// DELTA_NEW_CHECK_CONSTRAINT_VIOLATION (with the number of rows).
void AddConstraint(Alteration& change, const std::string& name, const std::string& condition);
/// Throws DELTA_CONSTRAINT_DOES_NOT_EXIST unless `if_exists`.
void DropConstraint(Alteration& change, const std::string& name, bool if_exists);

// Columns. Errors of all: as delta/schema/schema_edit.h says.

struct NewColumn {
  delta::ColumnPath parent;  ///< The struct that the field is added to; empty for a column.
  delta::StructField field;
  delta::FieldPlace place;
  bool has_default = false;
};

/// Throws, too: COLUMN_ALREADY_EXISTS for two of one name, DELTA_OPERATION_NOT_ALLOWED (NOT NULL),
/// WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED,
/// DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES (without column mapping),
/// RESERVED_CDC_COLUMNS_ON_WRITE.
void AddColumns(Alteration& change, const std::vector<NewColumn>& columns, bool if_not_exists);

/// Throws, too: DELTA_UNSUPPORTED_DROP_COLUMN (without column mapping),
/// DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN, DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN, and as
/// CheckNoDependents.
void DropColumns(Alteration& change, const std::vector<delta::ColumnPath>& paths, bool if_exists);

/// Throws, too: DELTA_UNSUPPORTED_RENAME_COLUMN (without column mapping), and as CheckNoDependents.
void RenameColumn(Alteration& change, const delta::ColumnPath& path, const std::string& name);

/// What ALTER COLUMN says of one column; what it does not say stays.
struct ColumnChange {
  bool sets_comment = false;
  std::optional<std::string> comment;
  bool sets_default = false;
  std::optional<std::string> default_value;  ///< DuckDB's SQL.
  std::optional<bool> nullable;
  std::optional<delta::FieldPlace> place;
  delta::TypePtr type;
};

/// Throws, too: NOT_SUPPORTED_CHANGE_COLUMN for a narrower type,
/// DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP for one that Delta cannot change to (all of them
/// unless type widening is enabled), CANNOT_UPDATE_FIELD.STRUCT_TYPE and its like,
/// DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY, WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED,
/// INVALID_DEFAULT_VALUE.*, DELTA_NOT_NULL_CONSTRAINT_VIOLATED for SET NOT NULL over rows with
/// NULL, DELTA_NESTED_NOT_NULL_CONSTRAINT, and as CheckNoDependents for a change of type.
void ChangeColumn(Alteration& change, const delta::ColumnPath& path, const ColumnChange& column);

/// Throws DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE, DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE
/// when a CHECK constraint or a generated column speaks of the column, of a part of it or of what
/// it is a part of.
void CheckNoDependents(const Alteration& change, const delta::ColumnPath& path);

}  // namespace weir::engine
