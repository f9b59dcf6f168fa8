// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/create_table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "duckdb/parser/constraints/check_constraint.hpp"
#include "duckdb/parser/constraints/not_null_constraint.hpp"
#include "duckdb/parser/expression/cast_expression.hpp"
#include "duckdb/parser/expression/columnref_expression.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/parsed_data/create_table_info.hpp"

#include "base/text.h"
#include "base/uuid.h"
#include "delta/features/features.h"
#include "delta/features/iceberg_compat.h"
#include "delta/features/properties.h"
#include "delta/features/protocol_for.h"
#include "delta/row_tracking/row_tracking.h"
#include "delta/schema/column_mapping.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/cluster_by.h"
#include "engine/catalog/column_options.h"
#include "engine/catalog/default_properties.h"
#include "engine/catalog/schema_entry.h"
#include "engine/catalog/transaction.h"
#include "engine/catalog/type_mapping.h"
#include "engine/duckdb_errors.h"
#include "engine/write/file_actions.h"
#include "engine/write/spark_sql.h"

namespace weir::engine {
namespace {

constexpr const char* kInCommitTimestamps = "delta.enableInCommitTimestamps";

std::set<duckdb::idx_t> NotNullColumns(const duckdb::CreateTableInfo& create) {
  std::set<duckdb::idx_t> columns;
  for (const auto& constraint : create.constraints) {
    if (constraint->type == duckdb::ConstraintType::CHECK) continue;
    if (constraint->type != duckdb::ConstraintType::NOT_NULL) {
      Throw(UnsupportedFeature("WEIR_UNSUPPORTED_CONSTRAINT",
                               "table " + create.table +
                                   ": Delta tables have NOT NULL and CHECK constraints only, not " +
                                   constraint->ToString()));
    }
    columns.insert(constraint->Cast<duckdb::NotNullConstraint>().index.index);
  }
  return columns;
}

delta::StructField MakeField(const duckdb::ColumnDefinition& column, bool nullable) {
  delta::StructField field;
  field.name = column.Name();
  field.type = OrThrow(FromDuckDB(column.Type()));
  field.nullable = nullable;
  if (!column.Comment().IsNull()) {
    field.metadata.Set("comment", JsonValue::String(column.Comment().ToString()));
  }
  if (column.Generated()) {
    // The parser puts a cast to the column's type around the expression.
    const auto& whole = column.GeneratedExpression();
    const bool is_cast = whole.GetExpressionType() == duckdb::ExpressionType::OPERATOR_CAST;
    field.metadata.Set(
        "delta.generationExpression",
        JsonValue::String(InSparkSql(
            (is_cast ? *whole.Cast<duckdb::CastExpression>().child : whole).ToString())));
  } else if (column.HasDefaultValue()) {
    field.metadata.Set("CURRENT_DEFAULT",
                       JsonValue::String(InSparkSql(column.DefaultValue().ToString())));
  }
  return field;
}

std::vector<delta::StructField> Fields(const duckdb::CreateTableInfo& create) {
  const auto not_null = NotNullColumns(create);
  std::vector<delta::StructField> fields;
  std::set<std::string> names;
  for (const auto& column : create.columns.Logical()) {
    if (!names.insert(ToLowerAscii(column.Name())).second) {
      Throw(InvalidArgument(
          "DELTA_DUPLICATE_COLUMNS_FOUND",
          "table " + create.table + " has two columns named \"" + column.Name() + "\"", "42711"));
    }
    fields.push_back(MakeField(column, !not_null.contains(column.Logical().index)));
  }
  return fields;
}

std::vector<std::string> PartitionColumns(const duckdb::CreateTableInfo& create,
                                          const std::vector<delta::StructField>& fields) {
  std::vector<std::string> names;
  for (const auto& key : create.partition_keys) {
    if (key->GetExpressionClass() != duckdb::ExpressionClass::COLUMN_REF) {
      Throw(InvalidArgument("DELTA_PARTITION_COLUMN_NOT_FOUND",
                            "table " + create.table + ": Delta partitions by columns, not by " +
                                key->ToString() + "; add a column that holds it",
                            "42703"));
    }
    const auto& name = key->Cast<duckdb::ColumnRefExpression>().GetColumnName();
    auto field = std::find_if(fields.begin(), fields.end(), [&](const auto& candidate) {
      return EqualsIgnoreCase(candidate.name, name);
    });
    if (field == fields.end()) {
      Throw(InvalidArgument(
          "DELTA_PARTITION_COLUMN_NOT_FOUND",
          "table " + create.table + " has no column \"" + name + "\" to be partitioned by",
          "42703"));
    }
    if (!field->type->is_primitive() || field->type->kind() == delta::TypeKind::kVariant) {
      Throw(InvalidArgument("DELTA_INVALID_PARTITION_COLUMN_TYPE",
                            "column \"" + name + "\" of type " + field->type->ToSql() +
                                " cannot partition table " + create.table,
                            "42996"));
    }
    names.push_back(field->name);
  }
  if (!names.empty() && names.size() == fields.size()) {
    Throw(InvalidArgument(
        "DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION",
        "table " + create.table + " would have no column left beside those it is partitioned by",
        "428FT"));
  }
  return names;
}

// Those of the statement, over those that every new table gets.
delta::StringMap Properties(const duckdb::CreateTableInfo& create, delta::StringMap defaults) {
  delta::StringMap stated;
  for (const auto& [key, value] : create.options) {
    if (!IsColumnOption(key)) stated[key] = PropertyText(key, *value);
  }
  for (auto& [key, value] : OrThrow(delta::NormalizeProperties(stated))) {
    defaults[key] = std::move(value);
  }
  auto properties = OrThrow(delta::NormalizeProperties(defaults));
  int number = 0;
  for (const auto& constraint : create.constraints) {
    if (constraint->type != duckdb::ConstraintType::CHECK) continue;
    properties["delta.constraints.check_" + std::to_string(++number)] =
        InSparkSql(constraint->Cast<duckdb::CheckConstraint>().expression->ToString());
  }
  for (const auto& column : create.columns.Logical()) {
    if (!column.Generated() && column.HasDefaultValue()) {
      properties["delta.feature.allowcolumndefaults"] = "supported";
    }
  }
  return properties;
}

// The columns that a change feed adds itself.
void RefuseReservedNames(const delta::DataType& schema) {
  for (const char* reserved : {"_change_type", "_commit_version", "_commit_timestamp"}) {
    if (!schema.FindField(reserved)) continue;
    Throw(InvalidArgument(
        "DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS",
        std::string("column \"") + reserved +
            "\" is one that the change data feed adds itself; rename it, or do without "
            "delta.enableChangeDataFeed",
        "42711"));
  }
}

}  // namespace

void AdoptMetadata(delta::TypePtr schema, const TableState* current, delta::Protocol& protocol,
                   delta::Metadata& metadata) {
  OrThrow(delta::CompleteIcebergCompat(metadata, current ? &current->metadata() : nullptr));
  const auto mode_of = [](const delta::Metadata& of) {
    return OrThrow(delta::ParseTableProperties(of.configuration)).column_mapping_mode;
  };
  const auto mode = mode_of(metadata);
  const auto old_mode = current ? mode_of(current->metadata()) : mode;
  if (mode != old_mode &&
      !(old_mode == delta::ColumnMappingMode::kNone && mode == delta::ColumnMappingMode::kName)) {
    Throw(InvalidArgument(
        "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE",
        "delta.columnMapping.mode of an existing table can be changed from 'none' to 'name' only; "
        "SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none') by itself writes all files anew",
        "0AKDC"));
  }
  if (mode != delta::ColumnMappingMode::kNone) {
    schema = delta::AssignColumnMapping(
        schema, mode != old_mode ? delta::PhysicalNames::kAsNamed : delta::PhysicalNames::kFresh,
        metadata);
  }
  if (!current || !schema->Equals(*current->schema())) metadata.schema_string = schema->ToJson();
  protocol =
      OrThrow(delta::ProtocolFor(metadata, *schema, current ? &current->protocol() : nullptr));
  delta::RemoveProtocolProperties(metadata.configuration);
  if (delta::IsSupported(protocol, delta::Feature::kCatalogManaged) &&
      !metadata.configuration.contains(kInCommitTimestamps))
    metadata.configuration[kInCommitTimestamps] = "true";
  if (delta::IsRowTrackingEnabled(protocol, metadata)) delta::EnsureMaterializedColumns(metadata);
  if (delta::IsActive(delta::Feature::kChangeDataFeed, protocol, metadata, *schema))
    RefuseReservedNames(*schema);
  OrThrow(delta::CheckIcebergCompat(protocol, metadata, *schema,
                                    current ? &current->metadata() : nullptr));
  OrThrow(delta::CheckWritable(protocol, metadata, *schema));
}

void CheckStatisticsColumns(const std::string& table, const delta::DataType& schema,
                            const delta::StringMap& properties) {
  const auto parsed = OrThrow(delta::ParseTableProperties(properties));
  if (!parsed.data_skipping_stats_columns) return;
  for (const auto& path : *parsed.data_skipping_stats_columns) {
    const delta::DataType* type = &schema;
    for (const std::string& name : path) {
      const delta::StructField* field = type->FindField(name);
      if (field == nullptr) {
        Throw(NotFound("DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
                       "table " + table + " has no column '" + name +
                           "', which delta.dataSkippingStatsColumns names",
                       "42703"));
      }
      type = field->type.get();
    }
  }
}

std::string PropertyText(const std::string& key, const duckdb::ParsedExpression& expression) {
  if (expression.GetExpressionClass() == duckdb::ExpressionClass::CONSTANT) {
    return expression.Cast<duckdb::ConstantExpression>().value.ToString();
  }
  // TRUE and FALSE come as casts or column names, bare words as column names.
  const std::string text = expression.ToString();
  if (EqualsIgnoreCase(text, "true") || text == "CAST('t' AS BOOLEAN)") return "true";
  if (EqualsIgnoreCase(text, "false") || text == "CAST('f' AS BOOLEAN)") return "false";
  Throw(InvalidArgument("WEIR_PROPERTY_NOT_CONSTANT",
                        "the value of property '" + key + "' must be a literal, found " + text));
}

JsonValue CreateParameters(const NewTable& table) {
  const auto& metadata = table.metadata;
  std::vector<JsonValue> clustering;
  for (const auto& column : delta::LogicalClusteringColumns(
           *OrThrow(delta::ParseSchema(metadata.schema_string)), table.clustering_columns))
    clustering.push_back(JsonValue::String(delta::JoinColumnPath(column)));
  std::vector<JsonValue> columns;
  for (const auto& name : metadata.partition_columns) columns.push_back(JsonValue::String(name));
  JsonValue properties = JsonValue::Object();
  for (const auto& [key, value] : metadata.configuration)
    properties.Set(key, JsonValue::String(value));
  JsonValue result = JsonValue::Object();
  result.Set("partitionBy", JsonValue::String(JsonValue::Array(std::move(columns)).ToString()));
  result.Set("clusterBy", JsonValue::String(JsonValue::Array(std::move(clustering)).ToString()));
  result.Set("description",
             metadata.description ? JsonValue::String(*metadata.description) : JsonValue());
  result.Set("isManaged", JsonValue::String("false"));
  result.Set("properties", JsonValue::String(properties.ToString()));
  return result;
}

NewTable DescribeNewTable(duckdb::BoundCreateTableInfo& info, delta::StringMap defaults,
                          int64_t now_ms) {
  auto& create = info.Base();
  auto fields = Fields(create);
  NewTable table;
  table.metadata.id = Uuid::Random().ToString();
  table.metadata.partition_columns = PartitionColumns(create, fields);
  ApplyColumnOptions(create, table.metadata.partition_columns, fields);
  table.metadata.created_time = now_ms;
  table.metadata.configuration = Properties(create, std::move(defaults));
  table.metadata.description = TableCommentOption(create);
  if (!create.comment.IsNull()) table.metadata.description = create.comment.ToString();
  const auto cluster_by = ClusterByColumns(create);
  if (!cluster_by.empty()) table.metadata.configuration["delta.feature.clustering"] = "supported";
  const delta::TypePtr schema = delta::DataType::Struct(std::move(fields));
  CheckStatisticsColumns(create.table, *schema, table.metadata.configuration);
  AdoptMetadata(schema, nullptr, table.protocol, table.metadata);
  table.clustering_columns = OrThrow(delta::ResolveClusteringColumns(
      *OrThrow(delta::ParseSchema(table.metadata.schema_string)), table.metadata, cluster_by));
  return table;
}

namespace {

// History stays readable: a table that replaces another keeps what that one's protocol has.
void TakePlaceOf(const WeirTableEntry& existing, NewTable& table) {
  const auto& old_protocol = existing.state()->protocol();
  const bool was_managed = delta::IsSupported(old_protocol, delta::Feature::kCatalogManaged);
  if (was_managed || delta::IsSupported(table.protocol, delta::Feature::kCatalogManaged)) {
    Throw(UnsupportedFeature(
        "DELTA_REPLACE_TABLE_WITH_CATALOG_MANAGED_NOT_SUPPORTED",
        "table " + existing.name +
            (was_managed ? " is managed by its catalog and cannot be replaced; drop it first"
                         : " cannot be replaced by a catalog-managed one: SET TBLPROPERTIES "
                           "('delta.feature.catalogManaged' = 'supported') makes it one"),
        "0A000"));
  }
  const auto old_features = delta::SupportedFeatures(old_protocol);
  if (!table.metadata.partition_columns.empty() &&
      old_features.Contains(delta::Feature::kClustering)) {
    Throw(InvalidArgument("DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE",
                          "table " + existing.name +
                              " is clustered and cannot be replaced by a partitioned one; drop it "
                              "first",
                          "42000"));
  }
  const auto new_features = delta::SupportedFeatures(table.protocol);
  table.protocol = old_features.ContainsAll(new_features)
                       ? old_protocol
                       : delta::WeakestProtocol(old_features | new_features);
  OrThrow(delta::CheckIcebergCompat(table.protocol, table.metadata,
                                    *OrThrow(delta::ParseSchema(table.metadata.schema_string)),
                                    &existing.state()->metadata()));
}

}  // namespace

WeirTableEntry& WeirSchemaEntry::CreateTableFrom(duckdb::ClientContext& context,
                                                 duckdb::BoundCreateTableInfo& info,
                                                 bool as_select) {
  auto& create = info.Base();
  auto& transaction = WeirTransaction::Get(context, catalog);
  auto& warehouse = warehouse_catalog().warehouse();
  const bool may_replace = create.on_conflict == duckdb::OnCreateConflict::REPLACE_ON_CONFLICT;
  auto existing = may_replace ? transaction.FindTable(*this, create.table) : nullptr;
  const auto place = warehouse.PlaceFor(name, create.table);
  const std::string root = existing ? existing->state()->log().root : place.root;
  const int64_t now = OrThrow(warehouse.LogAt(root)).clock->NowMillis();
  NewTable table = DescribeNewTable(info, DefaultProperties(context), now);
  if (existing) TakePlaceOf(*existing, table);
  auto& writer =
      existing ? transaction.WriterFor(*existing) : transaction.WriterForNew(*this, place);
  if (existing) RemoveAllFiles(existing->state(), writer, now);
  writer.Add(table.protocol);
  writer.Add(table.metadata);
  // A table that is replaced keeps the feature, so it must say that it does not cluster any more.
  if (delta::IsSupported(table.protocol, delta::Feature::kClustering))
    writer.Add(delta::MakeClusteringDomain(table.clustering_columns));
  const std::string operation = existing ? "CREATE OR REPLACE TABLE" : "CREATE TABLE";
  transaction.RecordStatement(root, as_select ? operation + " AS SELECT" : operation,
                              CreateParameters(table), {});
  return transaction.Publish(root);
}

duckdb::optional_ptr<duckdb::CatalogEntry> WeirSchemaEntry::CreateTable(
    duckdb::CatalogTransaction transaction, duckdb::BoundCreateTableInfo& info) {
  auto& create = info.Base();
  if (create.on_conflict == duckdb::OnCreateConflict::IGNORE_ON_CONFLICT) {
    auto existing =
        WeirTransaction::Get(transaction.GetContext(), catalog).FindTable(*this, create.table);
    if (existing) return nullptr;
  }
  return CreateTableFrom(transaction.GetContext(), info, false);
}

// Partitions and properties are ours to judge, in DescribeNewTable.
duckdb::ErrorData WeirCatalog::SupportsCreateTable(duckdb::BoundCreateTableInfo&) { return {}; }

}  // namespace weir::engine
