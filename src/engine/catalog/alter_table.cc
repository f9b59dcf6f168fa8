// SPDX-License-Identifier: Apache-2.0
//
// DROP TABLE and DuckDB's own ALTER TABLE: each ALTER makes new metadata, and with it the protocol
// it needs.
#include <algorithm>
#include <utility>

#include "duckdb/catalog/catalog_entry/table_catalog_entry.hpp"
#include "duckdb/parser/parsed_data/alter_table_info.hpp"
#include "duckdb/parser/parsed_data/comment_on_column_info.hpp"
#include "duckdb/parser/parsed_data/drop_info.hpp"

#include "base/text.h"
#include "delta/features/properties.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/cluster_by.h"
#include "engine/catalog/create_table.h"
#include "engine/catalog/schema_entry.h"
#include "engine/catalog/table_entry.h"
#include "engine/catalog/transaction.h"
#include "engine/catalog/type_mapping.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

// What an ALTER is about to write.
struct Alteration {
  std::string operation;
  JsonValue parameters = JsonValue::Object();
  std::vector<delta::StructField> fields;
  delta::Metadata metadata;
  bool is_changed = true;
};

[[noreturn]] void ThrowNoColumn(const std::string& table, const std::string& column) {
  Throw(NotFound("DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
                 "table " + table + " has no column \"" + column + "\"", "42703"));
}

delta::StructField& FindField(Alteration& change, const std::string& table,
                              const std::string& name) {
  auto it = std::find_if(change.fields.begin(), change.fields.end(),
                         [&](const auto& field) { return EqualsIgnoreCase(field.name, name); });
  if (it == change.fields.end()) ThrowNoColumn(table, name);
  return *it;
}

void AddColumn(Alteration& change, const std::string& table, duckdb::AddColumnInfo& info) {
  const auto& column = info.new_column;
  const bool exists =
      std::any_of(change.fields.begin(), change.fields.end(),
                  [&](const auto& field) { return EqualsIgnoreCase(field.name, column.Name()); });
  if (exists && info.if_column_not_exists) {
    change.is_changed = false;
    return;
  }
  if (exists) {
    Throw(AlreadyExists("DELTA_ADD_COLUMN_ALREADY_EXISTS",
                        "table " + table + " already has a column \"" + column.Name() + "\"",
                        "42711"));
  }
  if (column.HasDefaultValue() || column.Generated()) {
    Throw(UnsupportedFeature("WEIR_UNSUPPORTED_COLUMN_EXPRESSION",
                             "column \"" + column.Name() + "\" of table " + table +
                                 ": generated columns and DEFAULT are not supported"));
  }
  delta::StructField field;
  field.name = column.Name();
  field.type = OrThrow(FromDuckDB(column.Type()));
  change.operation = "ADD COLUMNS";
  JsonValue described = JsonValue::Object();
  described.Set("column",
                OrThrow(JsonValue::Parse("{\"name\":" + JsonValue::String(field.name).ToString() +
                                         ",\"type\":" + field.type->ToJson() +
                                         ",\"nullable\":true,\"metadata\":{}}")));
  change.parameters.Set("columns",
                        JsonValue::String(JsonValue::Array({std::move(described)}).ToString()));
  change.fields.push_back(std::move(field));
}

void SetOptions(Alteration& change, duckdb::SetTableOptionsInfo& info) {
  delta::StringMap wanted;
  for (const auto& [key, value] : info.table_options) wanted[key] = PropertyText(key, *value);
  wanted = OrThrow(delta::NormalizeProperties(wanted, change.metadata.configuration));
  JsonValue described = JsonValue::Object();
  for (const auto& [key, value] : wanted) {
    described.Set(key, JsonValue::String(value));
    change.metadata.configuration[key] = value;
  }
  change.operation = "SET TBLPROPERTIES";
  change.parameters.Set("properties", JsonValue::String(described.ToString()));
}

void ResetOptions(Alteration& change, duckdb::ResetTableOptionsInfo& info) {
  std::vector<JsonValue> described;
  for (const auto& name : info.table_options) {
    const std::string key = delta::NormalizePropertyKey(name);
    change.metadata.configuration.erase(key);
    described.push_back(JsonValue::String(key));
  }
  change.operation = "UNSET TBLPROPERTIES";
  change.parameters.Set("properties",
                        JsonValue::String(JsonValue::Array(std::move(described)).ToString()));
  change.parameters.Set("ifExists", JsonValue::String("true"));
}

void CommentColumn(Alteration& change, const std::string& table,
                   duckdb::SetColumnCommentInfo& info) {
  auto& field = FindField(change, table, info.column_name);
  if (info.comment_value.IsNull()) {
    field.metadata.Remove("comment");
  } else {
    field.metadata.Set("comment", JsonValue::String(info.comment_value.ToString()));
  }
  change.operation = "CHANGE COLUMN";
  change.parameters.Set("column", JsonValue::String(field.name));
}

void CommentTable(Alteration& change, duckdb::SetCommentInfo& info) {
  change.metadata.description.reset();
  if (!info.comment_value.IsNull()) change.metadata.description = info.comment_value.ToString();
  change.operation = "SET TBLPROPERTIES";
  change.parameters.Set("properties", JsonValue::String("{}"));
}

void Apply(Alteration& change, const std::string& table, duckdb::AlterInfo& info) {
  if (info.type == duckdb::AlterType::SET_COMMENT)
    return CommentTable(change, info.Cast<duckdb::SetCommentInfo>());
  if (info.type == duckdb::AlterType::SET_COLUMN_COMMENT) {
    return CommentColumn(change, table, info.Cast<duckdb::SetColumnCommentInfo>());
  }
  if (info.type == duckdb::AlterType::ALTER_TABLE) {
    auto& alter = info.Cast<duckdb::AlterTableInfo>();
    switch (alter.alter_table_type) {
      case duckdb::AlterTableType::ADD_COLUMN:
        return AddColumn(change, table, alter.Cast<duckdb::AddColumnInfo>());
      case duckdb::AlterTableType::SET_TABLE_OPTIONS:
        return SetOptions(change, alter.Cast<duckdb::SetTableOptionsInfo>());
      case duckdb::AlterTableType::RESET_TABLE_OPTIONS:
        return ResetOptions(change, alter.Cast<duckdb::ResetTableOptionsInfo>());
      case duckdb::AlterTableType::DROP_NOT_NULL: {
        auto& field = FindField(change, table, alter.Cast<duckdb::DropNotNullInfo>().column_name);
        field.nullable = true;
        change.operation = "CHANGE COLUMN";
        change.parameters.Set("column", JsonValue::String(field.name));
        return;
      }
      default:
        break;
    }
  }
  Throw(UnsupportedFeature("WEIR_UNSUPPORTED_STATEMENT",
                           "this ALTER TABLE is not supported: " + info.ToString()));
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
  const auto& state = *table->state();
  Alteration change;
  change.metadata = state.metadata();
  change.fields = state.schema()->fields();
  Apply(change, info.name, info);
  if (!change.is_changed) return;

  delta::Protocol protocol;
  AdoptMetadata(delta::DataType::Struct(std::move(change.fields)), &state, protocol,
                change.metadata);
  auto& writer = transaction.WriterFor(*table);
  if (!(protocol == state.protocol())) writer.Add(protocol);
  writer.Add(change.metadata);
  const std::string root = state.log().root;
  transaction.RecordStatement(root, change.operation, std::move(change.parameters), {});
  transaction.Publish(root);
}

}  // namespace weir::engine
