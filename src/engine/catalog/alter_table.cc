// SPDX-License-Identifier: Apache-2.0
//
// DROP TABLE and DuckDB's own ALTER TABLE.
#include <optional>
#include <string>
#include <utility>

#include "duckdb/parser/expression/cast_expression.hpp"
#include "duckdb/parser/parsed_data/alter_table_info.hpp"
#include "duckdb/parser/parsed_data/comment_on_column_info.hpp"
#include "duckdb/parser/parsed_data/drop_info.hpp"

#include "engine/alter/alteration.h"
#include "engine/catalog/cluster_by.h"
#include "engine/catalog/create_table.h"
#include "engine/catalog/schema_entry.h"
#include "engine/catalog/table_entry.h"
#include "engine/catalog/transaction.h"
#include "engine/catalog/type_mapping.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

delta::StringMap Texts(const duckdb::SetTableOptionsInfo& info) {
  delta::StringMap properties;
  for (const auto& [key, value] : info.table_options) properties[key] = PropertyText(key, *value);
  return properties;
}

std::optional<std::string> Comment(const duckdb::Value& value) {
  return value.IsNull() ? std::nullopt : std::optional<std::string>(value.ToString());
}

// A column as DuckDB's ADD COLUMN describes it.
NewColumn Described(const duckdb::ColumnDefinition& column, delta::ColumnPath parent) {
  if (column.Generated()) {
    Throw(UnsupportedFeature(
        "WEIR_UNSUPPORTED_COLUMN_EXPRESSION",
        "column \"" + column.Name() + "\": a generated column can be made by CREATE TABLE only"));
  }
  NewColumn added;
  added.parent = std::move(parent);
  added.field.name = column.Name();
  added.field.type = OrThrow(FromDuckDB(column.Type()));
  added.has_default = column.HasDefaultValue();
  return added;
}

ColumnChange DefaultChange(const duckdb::SetDefaultInfo& info) {
  ColumnChange change;
  change.sets_default = true;
  if (info.expression) change.default_value = info.expression->ToString();
  return change;
}

ColumnChange TypeChange(const duckdb::ChangeColumnTypeInfo& info) {
  // Without USING the parser makes a cast of the column itself.
  if (info.expression &&
      info.expression->GetExpressionType() == duckdb::ExpressionType::OPERATOR_CAST &&
      info.expression->Cast<duckdb::CastExpression>().child->GetExpressionType() ==
          duckdb::ExpressionType::COLUMN_REF) {
    ColumnChange change;
    change.type = OrThrow(FromDuckDB(info.target_type));
    return change;
  }
  Throw(UnsupportedFeature("WEIR_UNSUPPORTED_STATEMENT",
                           "ALTER COLUMN TYPE ... USING is not supported: the rows that are there "
                           "are not written anew; add a column and UPDATE it"));
}

ColumnChange NullableChange(bool nullable) {
  ColumnChange change;
  change.nullable = nullable;
  return change;
}

void AlterTable(Alteration& change, duckdb::AlterTableInfo& info) {
  using duckdb::AlterTableType;
  switch (info.alter_table_type) {
    case AlterTableType::ADD_COLUMN: {
      const auto& add = info.Cast<duckdb::AddColumnInfo>();
      return AddColumns(change, {Described(add.new_column, {})}, add.if_column_not_exists);
    }
    case AlterTableType::ADD_FIELD: {
      const auto& add = info.Cast<duckdb::AddFieldInfo>();
      const delta::ColumnPath parent(add.column_path.begin(), add.column_path.end());
      return AddColumns(change, {Described(add.new_field, parent)}, add.if_field_not_exists);
    }
    case AlterTableType::REMOVE_COLUMN: {
      const auto& remove = info.Cast<duckdb::RemoveColumnInfo>();
      return DropColumns(change, {{remove.removed_column}}, remove.if_column_exists);
    }
    case AlterTableType::REMOVE_FIELD: {
      const auto& remove = info.Cast<duckdb::RemoveFieldInfo>();
      return DropColumns(change, {{remove.column_path.begin(), remove.column_path.end()}},
                         remove.if_column_exists);
    }
    case AlterTableType::RENAME_COLUMN: {
      const auto& rename = info.Cast<duckdb::RenameColumnInfo>();
      return RenameColumn(change, {rename.old_name}, rename.new_name);
    }
    case AlterTableType::RENAME_FIELD: {
      const auto& rename = info.Cast<duckdb::RenameFieldInfo>();
      return RenameColumn(change, {rename.column_path.begin(), rename.column_path.end()},
                          rename.new_name);
    }
    case AlterTableType::ALTER_COLUMN_TYPE: {
      const auto& type = info.Cast<duckdb::ChangeColumnTypeInfo>();
      return ChangeColumn(change, {type.column_name}, TypeChange(type));
    }
    case AlterTableType::SET_DEFAULT: {
      const auto& set = info.Cast<duckdb::SetDefaultInfo>();
      return ChangeColumn(change, {set.column_name}, DefaultChange(set));
    }
    case AlterTableType::SET_NOT_NULL:
      return ChangeColumn(change, {info.Cast<duckdb::SetNotNullInfo>().column_name},
                          NullableChange(false));
    case AlterTableType::DROP_NOT_NULL:
      return ChangeColumn(change, {info.Cast<duckdb::DropNotNullInfo>().column_name},
                          NullableChange(true));
    case AlterTableType::SET_TABLE_OPTIONS:
      return SetProperties(change, Texts(info.Cast<duckdb::SetTableOptionsInfo>()));
    case AlterTableType::RESET_TABLE_OPTIONS: {
      const auto& keys = info.Cast<duckdb::ResetTableOptionsInfo>().table_options;
      return UnsetProperties(change, {keys.begin(), keys.end()});
    }
    default:
      Throw(UnsupportedFeature("WEIR_UNSUPPORTED_STATEMENT",
                               "this ALTER TABLE is not supported: " + info.ToString()));
  }
}

void Apply(Alteration& change, duckdb::AlterInfo& info) {
  switch (info.type) {
    case duckdb::AlterType::SET_COMMENT:
      return SetTableComment(change, Comment(info.Cast<duckdb::SetCommentInfo>().comment_value));
    case duckdb::AlterType::SET_COLUMN_COMMENT: {
      const auto& set = info.Cast<duckdb::SetColumnCommentInfo>();
      ColumnChange comment;
      comment.sets_comment = true;
      comment.comment = Comment(set.comment_value);
      return ChangeColumn(change, {set.column_name}, comment);
    }
    case duckdb::AlterType::ALTER_TABLE:
      return AlterTable(change, info.Cast<duckdb::AlterTableInfo>());
    default:
      Throw(UnsupportedFeature("WEIR_UNSUPPORTED_STATEMENT",
                               "this ALTER is not supported: " + info.ToString()));
  }
}

}  // namespace

void WeirSchemaEntry::DropEntry(duckdb::ClientContext& context, duckdb::DropInfo& info) {
  auto& transaction = WeirTransaction::Get(context, catalog);
  auto table = transaction.FindTable(*this, info.name);
  if (!table) {
    if (info.if_not_found == duckdb::OnEntryNotFound::RETURN_NULL) return;
    Throw(
        NotFound("DELTA_TABLE_NOT_FOUND", "there is no table " + name + "." + info.name, "42P01"));
  }
  transaction.DropTable(*table);
}

void WeirSchemaEntry::Alter(duckdb::CatalogTransaction catalog_transaction,
                            duckdb::AlterInfo& info) {
  auto& transaction = WeirTransaction::Get(catalog_transaction.GetContext(), catalog);
  auto table = transaction.FindTable(*this, info.name);
  if (!table) {
    if (info.if_not_found == duckdb::OnEntryNotFound::RETURN_NULL) return;
    Throw(
        NotFound("DELTA_TABLE_NOT_FOUND", "there is no table " + name + "." + info.name, "42P01"));
  }
  if (info.type == duckdb::AlterType::ALTER_TABLE &&
      info.Cast<duckdb::AlterTableInfo>().alter_table_type ==
          duckdb::AlterTableType::SET_SORTED_BY) {
    return AlterClustering(transaction, *table, info.Cast<duckdb::SetSortedByInfo>());
  }
  if (info.type == duckdb::AlterType::ALTER_TABLE &&
      info.Cast<duckdb::AlterTableInfo>().alter_table_type ==
          duckdb::AlterTableType::RENAME_TABLE) {
    return transaction.RenameTable(*this, *table,
                                   info.Cast<duckdb::RenameTableInfo>().new_table_name);
  }
  Alteration change(catalog_transaction.GetContext(), *table);
  Apply(change, info);
  WriteAlteration(std::move(change));
}

}  // namespace weir::engine
