// SPDX-License-Identifier: Apache-2.0
#include "delta/schema/type_changes.h"

#include <utility>

namespace weir::delta {

TypePtr WithoutTypeChanges(const TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::kStruct: {
      auto fields = type->fields();
      for (StructField& field : fields) {
        field.metadata.Remove("delta.typeChanges");
        field.type = WithoutTypeChanges(field.type);
      }
      return DataType::Struct(std::move(fields));
    }
    case TypeKind::kArray:
      return DataType::Array(WithoutTypeChanges(type->element()), type->contains_null());
    case TypeKind::kMap:
      return DataType::Map(WithoutTypeChanges(type->key()), WithoutTypeChanges(type->value()),
                           type->contains_null());
    default:
      return type;
  }
}

}  // namespace weir::delta
