// SPDX-License-Identifier: Apache-2.0
#include "delta/changes/change_schema.h"

namespace weir::delta {
namespace {

using Conflict = std::optional<std::string>;

Conflict CompareTypes(const std::string& place, const DataType& written, const DataType& read);

Conflict CompareStructs(const std::string& place, const DataType& written, const DataType& read) {
  for (const auto& field : written.fields()) {
    std::string name = place.empty() ? field.name : place + "." + field.name;
    const StructField* found = read.FindField(field.name);
    if (!found) return "column " + name + " was renamed or dropped";
    if (found->physical_name() != field.physical_name()) {
      return "column " + name + " is another one of the same name";
    }
    if (field.nullable && !found->nullable) return "column " + name + " became NOT NULL";
    if (auto conflict = CompareTypes(name, *field.type, *found->type)) return conflict;
  }
  return std::nullopt;
}

Conflict CompareTypes(const std::string& place, const DataType& written, const DataType& read) {
  if (written.kind() != read.kind()) {
    return "column " + place + " changed its type from " + written.ToSql() + " to " + read.ToSql();
  }
  if (written.kind() == TypeKind::kStruct) return CompareStructs(place, written, read);
  if (written.kind() == TypeKind::kArray || written.kind() == TypeKind::kMap) {
    if (written.contains_null() && !read.contains_null()) {
      return "the values in column " + place + " became NOT NULL";
    }
    if (written.kind() == TypeKind::kMap) {
      if (auto conflict = CompareTypes(place + ".key", *written.key(), *read.key()))
        return conflict;
    }
    return CompareTypes(place + ".element", *written.element(), *read.element());
  }
  if (written.Equals(read)) return std::nullopt;
  return "column " + place + " changed its type from " + written.ToSql() + " to " + read.ToSql();
}

}  // namespace

std::optional<std::string> FindSchemaConflict(const DataType& written, const DataType& read) {
  return CompareStructs("", written, read);
}

}  // namespace weir::delta
