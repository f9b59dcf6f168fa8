// SPDX-License-Identifier: Apache-2.0
#include "delta/checkpoint/checkpoint_schema.h"

#include <utility>
#include <vector>

#include "delta/features/features.h"
#include "delta/statistics/statistics_columns.h"

namespace weir::delta {
namespace {

StructField Field(std::string name, TypePtr type) {
  StructField field;
  field.name = std::move(name);
  field.type = std::move(type);
  return field;
}

// Columns by their physical paths, put together to nested fields again.
struct Tree {
  std::string name;
  TypePtr leaf;
  std::vector<Tree> children;

  Tree& Child(const std::string& child_name) {
    for (auto& child : children) {
      if (child.name == child_name) return child;
    }
    children.push_back({child_name, nullptr, {}});
    return children.back();
  }

  TypePtr ToType() const {
    if (leaf) return leaf;
    std::vector<StructField> fields;
    for (const auto& child : children) fields.push_back(Field(child.name, child.ToType()));
    return DataType::Struct(std::move(fields));
  }
};

void Insert(Tree& tree, const StatisticsColumn& column, const TypePtr& type) {
  Tree* at = &tree;
  for (const auto& name : column.physical_path) at = &at->Child(name);
  at->leaf = type;
}

}  // namespace

Result<TypePtr> StatsParsedSchema(const DataType& schema, const Metadata& metadata,
                                  const Protocol& protocol) {
  WEIR_ASSIGN_OR_RETURN(auto columns, StatisticsColumns(schema, metadata));
  TypePtr count = DataType::Primitive(TypeKind::kLong);
  Tree bounds;
  Tree null_counts;
  for (const auto& column : columns) {
    if (column.has_bounds()) Insert(bounds, column, column.type);
    Insert(null_counts, column, count);
  }
  std::vector<StructField> fields = {Field("numRecords", count)};
  // A struct without members has no form in Parquet.
  if (!bounds.children.empty()) {
    fields.push_back(Field("minValues", bounds.ToType()));
    fields.push_back(Field("maxValues", bounds.ToType()));
  }
  if (!null_counts.children.empty()) fields.push_back(Field("nullCount", null_counts.ToType()));
  if (IsSupported(protocol, Feature::kDeletionVectors)) {
    fields.push_back(Field("tightBounds", DataType::Primitive(TypeKind::kBoolean)));
  }
  return DataType::Struct(std::move(fields));
}

TypePtr PartitionValuesSchema(const DataType& schema, const Metadata& metadata) {
  std::vector<StructField> fields;
  for (const auto& name : metadata.partition_columns) {
    const StructField* column = schema.FindField(name);
    if (column != nullptr) fields.push_back(Field(column->physical_name(), column->type));
  }
  return fields.empty() ? nullptr : DataType::Struct(std::move(fields));
}

}  // namespace weir::delta
