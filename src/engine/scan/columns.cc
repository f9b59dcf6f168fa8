// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/columns.h"

#include <algorithm>
#include <string>
#include <utility>

#include "duckdb/parser/expression/constant_expression.hpp"

#include "base/text.h"
#include "engine/catalog/type_mapping.h"

namespace weir::engine {

using delta::DataType;
using delta::StructField;
using delta::TypeKind;
using duckdb::LogicalTypeId;
using duckdb::MultiFileColumnDefinition;
using duckdb::Value;
using LocalColumns = duckdb::vector<MultiFileColumnDefinition>;

namespace {

// No Parquet file has a column of this name.
constexpr const char* kAbsent = "\x01weir:absent";

// Only structs can have members that a file lacks or names otherwise: lists and maps without one
// are converted whole.
bool HoldsStruct(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kStruct:
      return true;
    case TypeKind::kArray:
      return HoldsStruct(*type.element());
    case TypeKind::kMap:
      return HoldsStruct(*type.key()) || HoldsStruct(*type.value());
    default:
      return false;
  }
}

Result<MultiFileColumnDefinition> MakeColumn(const std::string& name, const DataType& type);

Status AddChildren(const DataType& type, MultiFileColumnDefinition& column) {
  auto add = [&](const std::string& name, const DataType& child) -> Status {
    WEIR_ASSIGN_OR_RETURN(auto definition, MakeColumn(name, child));
    column.children.push_back(std::move(definition));
    return {};
  };
  if (!HoldsStruct(type)) return {};
  if (type.kind() == TypeKind::kArray) return add("list", *type.element());
  if (type.kind() == TypeKind::kMap) {
    WEIR_RETURN_IF_ERROR(add("key", *type.key()));
    return add("value", *type.value());
  }
  for (const auto& field : type.fields()) WEIR_RETURN_IF_ERROR(add(field.name, *field.type));
  return {};
}

Result<MultiFileColumnDefinition> MakeColumn(const std::string& name, const DataType& type) {
  WEIR_ASSIGN_OR_RETURN(auto duckdb_type, ToDuckDB(type));
  MultiFileColumnDefinition column(name, duckdb_type);
  column.identifier = Value(name);
  column.default_expression = duckdb::make_uniq<duckdb::ConstantExpression>(Value(duckdb_type));
  WEIR_RETURN_IF_ERROR(AddChildren(type, column));
  return column;
}

const MultiFileColumnDefinition* FindLocal(const StructField& field, ColumnMappingMode mode,
                                           const LocalColumns& local) {
  const MultiFileColumnDefinition* similar = nullptr;
  for (const auto& candidate : local) {
    if (mode == ColumnMappingMode::kId) {
      const bool has_id = !candidate.identifier.IsNull() &&
                          candidate.identifier.type().id() == LogicalTypeId::INTEGER;
      if (has_id && field.field_id() == candidate.GetIdentifierFieldId()) return &candidate;
      continue;
    }
    if (candidate.name == field.physical_name()) return &candidate;
    if (!similar && EqualsIgnoreCase(candidate.name, field.physical_name())) similar = &candidate;
  }
  return similar;
}

void ResolveNested(MultiFileColumnDefinition& column, const DataType& type, ColumnMappingMode mode,
                   const MultiFileColumnDefinition& local);

bool IsAbsent(const MultiFileColumnDefinition& column) {
  return column.GetIdentifierName() == kAbsent;
}

// A column below the top. A struct of which the file has not one member is taken as absent: DuckDB
// would make a struct of NULLs even where the file's struct is NULL.
void ResolveInner(MultiFileColumnDefinition& column, const DataType& type, ColumnMappingMode mode,
                  const MultiFileColumnDefinition* found) {
  column.identifier = Value(found ? found->name : kAbsent);
  if (!found || column.children.empty()) return;
  ResolveNested(column, type, mode, *found);
  const bool is_struct = type.kind() == TypeKind::kStruct;
  if (is_struct && std::all_of(column.children.begin(), column.children.end(), IsAbsent)) {
    column.identifier = Value(kAbsent);
  }
}

// The element of a list, or the key or value of a map: found by its place, writers name them as
// they like.
const MultiFileColumnDefinition* At(const LocalColumns& local, size_t place) {
  return place < local.size() ? &local[place] : nullptr;
}

void ResolveNested(MultiFileColumnDefinition& column, const DataType& type, ColumnMappingMode mode,
                   const MultiFileColumnDefinition& local) {
  if (type.kind() == TypeKind::kArray) {
    ResolveInner(column.children[0], *type.element(), mode, At(local.children, 0));
  } else if (type.kind() == TypeKind::kMap) {
    static const LocalColumns kNone;
    const auto& entries = local.children.empty() ? kNone : local.children[0].children;
    ResolveInner(column.children[0], *type.key(), mode, At(entries, 0));
    ResolveInner(column.children[1], *type.value(), mode, At(entries, 1));
  } else {
    for (size_t i = 0; i < type.fields().size(); ++i) {
      const auto& field = type.fields()[i];
      ResolveInner(column.children[i], *field.type, mode, FindLocal(field, mode, local.children));
    }
  }
}

}  // namespace

Result<ColumnMappingMode> MappingModeOf(const delta::Metadata& metadata) {
  auto it = metadata.configuration.find("delta.columnMapping.mode");
  if (it == metadata.configuration.end() || EqualsIgnoreCase(it->second, "none"))
    return ColumnMappingMode::kNone;
  if (EqualsIgnoreCase(it->second, "name")) return ColumnMappingMode::kName;
  if (EqualsIgnoreCase(it->second, "id")) return ColumnMappingMode::kId;
  return Fail(CorruptLog("DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE",
                         "table property delta.columnMapping.mode is \"" + it->second +
                             "\", expected none, name or id",
                         "0AKDC"));
}

Result<LocalColumns> TableColumns(const DataType& schema) {
  LocalColumns columns;
  for (const auto& field : schema.fields()) {
    WEIR_ASSIGN_OR_RETURN(auto column, MakeColumn(field.name, *field.type));
    columns.push_back(std::move(column));
  }
  return columns;
}

MultiFileColumnDefinition ResolveColumn(const MultiFileColumnDefinition& column,
                                        const StructField& field, ColumnMappingMode mode,
                                        const LocalColumns& local) {
  MultiFileColumnDefinition resolved = column;
  const auto* found = FindLocal(field, mode, local);
  resolved.identifier = Value(found ? found->name : kAbsent);
  if (found && !resolved.children.empty()) ResolveNested(resolved, *field.type, mode, *found);
  return resolved;
}

}  // namespace weir::engine
