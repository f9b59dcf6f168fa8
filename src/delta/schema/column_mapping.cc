// SPDX-License-Identifier: Apache-2.0
#include "delta/schema/column_mapping.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/uuid.h"
#include "delta/features/iceberg_compat.h"

namespace weir::delta {
namespace {

constexpr const char* kMaxColumnId = "delta.columnMapping.maxColumnId";
constexpr const char* kFieldId = "delta.columnMapping.id";
constexpr const char* kPhysicalName = "delta.columnMapping.physicalName";
constexpr const char* kNestedIds = "delta.columnMapping.nested.ids";

int64_t GreatestNestedId(const StructField& field) {
  int64_t greatest = 0;
  const JsonValue* ids = field.metadata.Find(kNestedIds);
  if (ids == nullptr) return greatest;
  for (const auto& [path, id] : ids->members())
    greatest = std::max(greatest, id.AsInt64().value_or(0));
  return greatest;
}

int64_t GreatestId(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kStruct: {
      int64_t greatest = 0;
      for (const auto& field : type.fields()) {
        greatest = std::max({greatest, field.field_id().value_or(0), GreatestNestedId(field),
                             GreatestId(*field.type)});
      }
      return greatest;
    }
    case TypeKind::kArray:
      return GreatestId(*type.element());
    case TypeKind::kMap:
      return std::max(GreatestId(*type.key()), GreatestId(*type.value()));
    default:
      return 0;
  }
}

TypePtr Assign(const TypePtr& type, PhysicalNames names, int64_t& last_id) {
  switch (type->kind()) {
    case TypeKind::kStruct: {
      std::vector<StructField> fields = type->fields();
      for (auto& field : fields) {
        if (!field.field_id()) field.metadata.Set(kFieldId, JsonValue::Int(++last_id));
        if (!field.MetadataText(kPhysicalName)) {
          field.metadata.Set(
              kPhysicalName,
              JsonValue::String(names == PhysicalNames::kFresh ? "col-" + Uuid::Random().ToString()
                                                               : field.name));
        }
        field.type = Assign(field.type, names, last_id);
      }
      return DataType::Struct(std::move(fields));
    }
    case TypeKind::kArray:
      return DataType::Array(Assign(type->element(), names, last_id), type->contains_null());
    case TypeKind::kMap: {
      auto key = Assign(type->key(), names, last_id);
      return DataType::Map(std::move(key), Assign(type->value(), names, last_id),
                           type->contains_null());
    }
    default:
      return type;
  }
}

// Ids of the elements, keys and values below a field that is no struct, by their paths.
void AssignNestedIds(const DataType& type, const std::string& path, int64_t& last_id,
                     JsonValue& ids) {
  const auto take = [&](const DataType& part, const std::string& part_path) {
    if (!ids.Find(part_path)) ids.Set(part_path, JsonValue::Int(++last_id));
    AssignNestedIds(part, part_path, last_id, ids);
  };
  if (type.kind() == TypeKind::kArray) take(*type.element(), path + ".element");
  if (type.kind() == TypeKind::kMap) {
    take(*type.key(), path + ".key");
    take(*type.value(), path + ".value");
  }
}

TypePtr WithNestedIds(const TypePtr& type, int64_t& last_id) {
  switch (type->kind()) {
    case TypeKind::kStruct: {
      std::vector<StructField> fields = type->fields();
      for (auto& field : fields) {
        const JsonValue* present = field.metadata.Find(kNestedIds);
        JsonValue ids = present ? *present : JsonValue::Object();
        AssignNestedIds(*field.type, field.physical_name(), last_id, ids);
        if (!ids.members().empty()) field.metadata.Set(kNestedIds, std::move(ids));
        field.type = WithNestedIds(field.type, last_id);
      }
      return DataType::Struct(std::move(fields));
    }
    case TypeKind::kArray:
      return DataType::Array(WithNestedIds(type->element(), last_id), type->contains_null());
    case TypeKind::kMap: {
      auto key = WithNestedIds(type->key(), last_id);
      return DataType::Map(std::move(key), WithNestedIds(type->value(), last_id),
                           type->contains_null());
    }
    default:
      return type;
  }
}

}  // namespace

TypePtr AssignColumnMapping(const TypePtr& schema, PhysicalNames names, Metadata& metadata) {
  int64_t last_id = GreatestId(*schema);
  if (auto it = metadata.configuration.find(kMaxColumnId); it != metadata.configuration.end()) {
    int64_t stored = 0;
    std::from_chars(it->second.data(), it->second.data() + it->second.size(), stored);
    last_id = std::max(last_id, stored);
  }
  auto result = Assign(schema, names, last_id);
  if (NeedsNestedFieldIds(metadata)) result = WithNestedIds(result, last_id);
  metadata.configuration[kMaxColumnId] = std::to_string(last_id);
  return result;
}

}  // namespace weir::delta
