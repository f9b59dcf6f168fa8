// SPDX-License-Identifier: Apache-2.0
#include "engine/alter/column_text.h"

#include "base/text.h"
#include "delta/clustering/clustering_columns.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

std::string TypeName(const delta::DataType& type) {
  switch (type.kind()) {
    case delta::TypeKind::kStruct:
      return "struct";
    case delta::TypeKind::kArray:
      return "array";
    case delta::TypeKind::kMap:
      return "map";
    default: {
      const std::string json = type.ToJson();  // a name in quotes
      return json.substr(1, json.size() - 2);
    }
  }
}

}  // namespace

std::string JoinedPath(const delta::ColumnPath& path) {
  std::string text;
  for (const std::string& name : path) text += (text.empty() ? "" : ".") + name;
  return text;
}

JsonValue DescribeField(const delta::StructField& field, const delta::ColumnPath& path) {
  JsonValue metadata = JsonValue::Object();
  for (const auto& [key, value] : field.metadata.members()) {
    if (!StartsWith(key, "delta.columnMapping.")) metadata.Set(key, value);
  }
  JsonValue described = JsonValue::Object();
  described.Set("name", JsonValue::String(JoinedPath(path)));
  described.Set("type", JsonValue::String(TypeName(*field.type)));
  described.Set("nullable", JsonValue::Bool(field.nullable));
  described.Set("metadata", std::move(metadata));
  return described;
}

std::vector<delta::ColumnPath> ClusteringColumns(const Alteration& change) {
  const delta::SnapshotPtr& snapshot = change.table.state()->snapshot();
  if (!snapshot) return {};
  return delta::LogicalClusteringColumns(*change.schema,
                                         OrThrow(delta::ClusteringColumnsOf(snapshot->domains())));
}

}  // namespace weir::engine
