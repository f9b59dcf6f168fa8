// SPDX-License-Identifier: Apache-2.0
#include "delta/schema/schema_edit.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"

namespace weir::delta {
namespace {

using Fields = std::vector<StructField>;
/// Edits the fields of the struct that a path leads to.
using EditFields = std::function<Result<Fields>(Fields)>;

bool IsPlainName(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c >= 0x80;
  });
}

Error Unresolved(const ColumnPath& path, const DataType& schema) {
  std::string names;
  for (const auto& field : schema.fields()) names += (names.empty() ? "" : ", ") + field.name;
  return InvalidArgument("UNRESOLVED_COLUMN.WITH_SUGGESTION",
                         "there is no column " + PathText(path) + "; there are " + names, "42703");
}

Error NotAStruct(const ColumnPath& path, const ColumnPath& parent) {
  return InvalidArgument(
      "INVALID_FIELD_NAME",
      PathText(path) + " cannot be a field, for " + PathText(parent) + " is no struct", "42000");
}

Error AlreadyThere(const ColumnPath& path, const std::string& verb) {
  return AlreadyExists("FIELD_ALREADY_EXISTS",
                       "cannot " + verb + " column, because " + PathText(path) + " already exists",
                       "42710");
}

Fields::iterator Find(Fields& fields, std::string_view name) {
  return std::find_if(fields.begin(), fields.end(),
                      [&](const StructField& field) { return EqualsIgnoreCase(field.name, name); });
}

bool IsPart(const DataType& type, std::string_view name) {
  if (type.kind() == TypeKind::kArray) return EqualsIgnoreCase(name, "element");
  return type.kind() == TypeKind::kMap &&
         (EqualsIgnoreCase(name, "key") || EqualsIgnoreCase(name, "value"));
}

/// `type` with another element, key or value.
TypePtr WithPart(const DataType& type, std::string_view name, TypePtr part) {
  if (type.kind() == TypeKind::kArray)
    return DataType::Array(std::move(part), type.contains_null());
  if (EqualsIgnoreCase(name, "key"))
    return DataType::Map(std::move(part), type.value(), type.contains_null());
  return DataType::Map(type.key(), std::move(part), type.contains_null());
}

/// The element, key or value as if it were a field.
StructField PartOf(const DataType& type, std::string_view name) {
  StructField part;
  part.name = ToLowerAscii(name);
  const bool is_key = part.name == "key";
  part.type = is_key ? type.key() : type.element();
  part.nullable = !is_key && type.contains_null();
  return part;
}

/// Walks down `path` from its place `depth` and lets `edit` have the type that it leads to.
Result<TypePtr> EditType(const TypePtr& type, const ColumnPath& path, size_t depth,
                         const DataType& schema,
                         const std::function<Result<TypePtr>(const TypePtr&)>& edit) {
  if (depth == path.size()) return edit(type);
  const std::string& name = path[depth];
  if (IsPart(*type, name)) {
    WEIR_ASSIGN_OR_RETURN(TypePtr part,
                          EditType(PartOf(*type, name).type, path, depth + 1, schema, edit));
    return WithPart(*type, name, std::move(part));
  }
  if (type->kind() != TypeKind::kStruct) {
    const auto end = static_cast<ColumnPath::difference_type>(depth);
    return Fail(NotAStruct(path, ColumnPath(path.begin(), path.begin() + end)));
  }
  Fields fields = type->fields();
  const auto field = Find(fields, name);
  if (field == fields.end()) return Fail(Unresolved(path, schema));
  WEIR_ASSIGN_OR_RETURN(field->type, EditType(field->type, path, depth + 1, schema, edit));
  return DataType::Struct(std::move(fields));
}

Result<TypePtr> EditStruct(const TypePtr& schema, const ColumnPath& parent, const ColumnPath& whole,
                           const EditFields& edit) {
  return EditType(schema, parent, 0, *schema, [&](const TypePtr& type) -> Result<TypePtr> {
    if (type->kind() != TypeKind::kStruct) return Fail(NotAStruct(whole, parent));
    WEIR_ASSIGN_OR_RETURN(Fields fields, edit(type->fields()));
    return DataType::Struct(std::move(fields));
  });
}

ColumnPath ParentOf(const ColumnPath& path) { return {path.begin(), path.end() - 1}; }

ColumnPath Child(ColumnPath parent, const std::string& name) {
  parent.push_back(name);
  return parent;
}

/// Puts `field` at its place among others.
Result<Fields> Insert(Fields fields, StructField field, const FieldPlace& place,
                      const std::function<Error()>& no_sibling) {
  auto at = place.kind == FieldPlace::Kind::kFirst ? fields.begin() : fields.end();
  if (place.kind == FieldPlace::Kind::kAfter) {
    at = Find(fields, place.after);
    if (at == fields.end()) return Fail(no_sibling());
    ++at;
  }
  fields.insert(at, std::move(field));
  return fields;
}

}  // namespace

std::string PathText(const ColumnPath& path) {
  std::string text;
  for (const std::string& name : path) {
    if (!text.empty()) text += '.';
    if (IsPlainName(name)) {
      text += name;
      continue;
    }
    text += '`';
    for (char c : name) text += c == '`' ? std::string("``") : std::string(1, c);
    text += '`';
  }
  return text;
}

std::string FieldPlace::ToString() const {
  if (kind == Kind::kFirst) return "FIRST";
  return kind == Kind::kAfter ? "AFTER " + after : "";
}

Result<StructField> FieldAt(const DataType& schema, const ColumnPath& path) {
  StructField here;
  const DataType* type = &schema;
  for (size_t depth = 0; depth < path.size(); ++depth) {
    if (IsPart(*type, path[depth])) {
      here = PartOf(*type, path[depth]);
    } else {
      const StructField* field =
          type->kind() == TypeKind::kStruct ? type->FindField(path[depth]) : nullptr;
      if (field == nullptr) return Fail(Unresolved(path, schema));
      StructField next = *field;  // `field` may live in `here`.
      here = std::move(next);
    }
    type = here.type.get();
  }
  return here;
}

Result<ColumnPath> ResolvePath(const DataType& schema, const ColumnPath& path) {
  ColumnPath resolved;
  for (size_t depth = 1; depth <= path.size(); ++depth) {
    const auto end = path.begin() + static_cast<ColumnPath::difference_type>(depth);
    auto field = FieldAt(schema, ColumnPath(path.begin(), end));
    if (!field) return Fail(Unresolved(path, schema));
    resolved.push_back(std::move(field->name));
  }
  return resolved;
}

Result<TypePtr> AddField(const TypePtr& schema, const ColumnPath& parent, const StructField& field,
                         const FieldPlace& place) {
  const ColumnPath path = Child(parent, field.name);
  return EditStruct(schema, parent, path, [&](Fields fields) -> Result<Fields> {
    if (Find(fields, field.name) != fields.end()) return Fail(AlreadyThere(path, "add"));
    return Insert(std::move(fields), field, place, [&] {
      return InvalidArgument("FIELD_NOT_FOUND",
                             "there is no column " + PathText(Child(parent, place.after)) +
                                 " that " + PathText(path) + " could stand behind",
                             "42704");
    });
  });
}

Result<TypePtr> DropField(const TypePtr& schema, const ColumnPath& path) {
  WEIR_ASSIGN_OR_RETURN(const StructField parent, FieldAt(*schema, ParentOf(path)));
  if (parent.type && IsPart(*parent.type, path.back())) {
    return Fail(UnsupportedFeature("DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE",
                                   PathText(path) +
                                       " is a part of its type; only fields of a struct can be "
                                       "dropped",
                                   "0AKDC"));
  }
  return EditStruct(schema, ParentOf(path), path, [&](Fields fields) -> Result<Fields> {
    const auto field = Find(fields, path.back());
    if (field == fields.end()) return Fail(Unresolved(path, *schema));
    if (fields.size() == 1) {
      return Fail(UnsupportedFeature("DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA",
                                     PathText(path) + " is the only column there; it cannot be "
                                                      "dropped",
                                     "0AKDC"));
    }
    fields.erase(field);
    return fields;
  });
}

Result<TypePtr> RenameField(const TypePtr& schema, const ColumnPath& path,
                            const std::string& name) {
  const ColumnPath renamed = Child(ParentOf(path), name);
  return EditStruct(schema, ParentOf(path), renamed, [&](Fields fields) -> Result<Fields> {
    const auto field = Find(fields, path.back());
    if (field == fields.end()) return Fail(Unresolved(path, *schema));
    if (Find(fields, name) != fields.end()) return Fail(AlreadyThere(renamed, "rename"));
    field->name = name;
    return fields;
  });
}

Result<TypePtr> MoveField(const TypePtr& schema, const ColumnPath& path, const FieldPlace& place) {
  return EditStruct(schema, ParentOf(path), path, [&](Fields fields) -> Result<Fields> {
    const auto at = Find(fields, path.back());
    if (at == fields.end()) return Fail(Unresolved(path, *schema));
    // Behind itself is where it is.
    if (place.kind == FieldPlace::Kind::kAfter && EqualsIgnoreCase(place.after, path.back()))
      return fields;
    StructField field = std::move(*at);
    fields.erase(at);
    return Insert(std::move(fields), std::move(field), place,
                  [&] { return Unresolved(Child(ParentOf(path), place.after), *schema); });
  });
}

Result<TypePtr> EditField(const TypePtr& schema, const ColumnPath& path,
                          const std::function<Status(StructField&)>& edit) {
  return EditType(schema, ParentOf(path), 0, *schema, [&](const TypePtr& type) -> Result<TypePtr> {
    if (IsPart(*type, path.back())) {
      StructField part = PartOf(*type, path.back());
      WEIR_RETURN_IF_ERROR(edit(part));
      return WithPart(*type, path.back(), std::move(part.type));
    }
    if (type->kind() != TypeKind::kStruct) return Fail(NotAStruct(path, ParentOf(path)));
    Fields fields = type->fields();
    const auto field = Find(fields, path.back());
    if (field == fields.end()) return Fail(Unresolved(path, *schema));
    WEIR_RETURN_IF_ERROR(edit(*field));
    return DataType::Struct(std::move(fields));
  });
}

}  // namespace weir::delta
