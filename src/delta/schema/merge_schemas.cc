// SPDX-License-Identifier: Apache-2.0
#include "delta/schema/merge_schemas.h"

#include <utility>

#include "base/text.h"
#include "delta/schema/type_widening.h"

namespace weir::delta {
namespace {

TypePtr AsNullable(const TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::kStruct: {
      auto fields = type->fields();
      for (auto& field : fields) {
        field.nullable = true;
        field.type = AsNullable(field.type);
      }
      return DataType::Struct(std::move(fields));
    }
    case TypeKind::kArray:
      return DataType::Array(AsNullable(type->element()), true);
    case TypeKind::kMap:
      return DataType::Map(AsNullable(type->key()), AsNullable(type->value()), true);
    default:
      return type;
  }
}

Status CheckNoDuplicates(const DataType& type) {
  for (size_t i = 0; i < type.fields().size(); i++) {
    for (size_t j = 0; j < i; j++) {
      if (!EqualsIgnoreCase(type.fields()[i].name, type.fields()[j].name)) continue;
      return Fail(InvalidArgument(
          "DELTA_DUPLICATE_COLUMNS_FOUND",
          "the rows to be written have two columns \"" + type.fields()[i].name + "\"", "42711"));
    }
  }
  return {};
}

class Merger {
 public:
  explicit Merger(bool may_widen) : may_widen_(may_widen) {}

  Result<TypePtr> Struct(const DataType& table, const DataType& source,
                         const std::string& parent) const {
    WEIR_RETURN_IF_ERROR(CheckNoDuplicates(source));
    auto fields = table.fields();
    for (const auto& wanted : source.fields()) {
      StructField* found = nullptr;
      for (auto& field : fields) {
        if (EqualsIgnoreCase(field.name, wanted.name)) found = &field;
      }
      if (found) {
        WEIR_ASSIGN_OR_RETURN(found->type, Type(found->type, wanted.type, parent + found->name));
        continue;
      }
      StructField added = wanted;
      added.nullable = true;
      added.type = AsNullable(wanted.type);
      fields.push_back(std::move(added));
    }
    return DataType::Struct(std::move(fields));
  }

 private:
  // `name` is the field's, for messages.
  Result<TypePtr> Type(const TypePtr& table, const TypePtr& source, const std::string& name) const {
    if (source->kind() == TypeKind::kVoid) return table;
    if (table->is_primitive() && source->is_primitive()) {
      return may_widen_ && IsTypeChangeSupported(*table, *source) ? source : table;
    }
    if (table->kind() != source->kind()) {
      return Fail(InvalidArgument("DELTA_FAILED_TO_MERGE_FIELDS",
                                  "column \"" + name + "\" has type " + table->ToSql() +
                                      "; rows of type " + source->ToSql() +
                                      " cannot be written there",
                                  "22005"));
    }
    if (table->kind() == TypeKind::kStruct) return Struct(*table, *source, name + ".");
    WEIR_ASSIGN_OR_RETURN(TypePtr value, Type(table->element(), source->element(), name));
    if (table->kind() == TypeKind::kArray) {
      return DataType::Array(std::move(value), table->contains_null());
    }
    WEIR_ASSIGN_OR_RETURN(TypePtr key, Type(table->key(), source->key(), name));
    return DataType::Map(std::move(key), std::move(value), table->contains_null());
  }

  const bool may_widen_;
};

}  // namespace

Result<TypePtr> MergeSchemas(const DataType& table, const DataType& source, bool may_widen) {
  return Merger(may_widen).Struct(table, source, std::string());
}

}  // namespace weir::delta
