// SPDX-License-Identifier: Apache-2.0
#include "delta/schema/text_lengths.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace weir::delta {
namespace {

constexpr std::string_view kKey = "__CHAR_VARCHAR_TYPE_STRING";

TypePtr WithoutLengths(const TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::kStruct: {
      std::vector<StructField> fields = type->fields();
      for (auto& field : fields) field.type = WithoutLengths(field.type);
      return DataType::Struct(std::move(fields));
    }
    case TypeKind::kArray:
      return DataType::Array(WithoutLengths(type->element()), type->contains_null());
    case TypeKind::kMap:
      return DataType::Map(WithoutLengths(type->key()), WithoutLengths(type->value()),
                           type->contains_null());
    case TypeKind::kString:
      return LengthOf(*type) ? DataType::Primitive(TypeKind::kString) : type;
    default:
      return type;
  }
}

// Goes along a type with what Spark has written of it. Null where the two do not fit.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  TypePtr ReadAll(const TypePtr& type) {
    TypePtr read = Read(type);
    return text_.empty() ? read : nullptr;
  }

 private:
  bool Take(std::string_view word) {
    if (!StartsWith(text_, word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  TypePtr Read(const TypePtr& type) {
    switch (type->kind()) {
      case TypeKind::kStruct:
        return ReadStruct(*type);
      case TypeKind::kArray: {
        TypePtr element = Take("array<") ? Read(type->element()) : nullptr;
        if (!element || !Take(">")) return nullptr;
        return DataType::Array(std::move(element), type->contains_null());
      }
      case TypeKind::kMap: {
        TypePtr key = Take("map<") ? Read(type->key()) : nullptr;
        TypePtr value = key && Take(",") ? Read(type->value()) : nullptr;
        if (!value || !Take(">")) return nullptr;
        return DataType::Map(std::move(key), std::move(value), type->contains_null());
      }
      default:
        return ReadPrimitive(type);
    }
  }

  // A field that was renamed, or whose name holds signs, is known by its place.
  TypePtr ReadStruct(const DataType& type) {
    if (!Take("struct<")) return nullptr;
    std::vector<StructField> fields = type.fields();
    for (auto& field : fields) {
      if (&field != &fields.front() && !Take(",")) return nullptr;
      if (!Take(field.name + ":")) {
        const size_t colon = text_.find(':');
        if (colon == std::string_view::npos) return nullptr;
        text_.remove_prefix(colon + 1);
      }
      field.type = Read(field.type);
      if (!field.type) return nullptr;
    }
    return Take(">") ? DataType::Struct(std::move(fields)) : nullptr;
  }

  TypePtr ReadPrimitive(const TypePtr& type) {
    size_t end = 0;
    for (bool in_parentheses = false; end < text_.size(); ++end) {
      const char c = text_[end];
      if (c == '(') in_parentheses = true;
      if (c == ')') in_parentheses = false;
      if (!in_parentheses && (c == ',' || c == '>')) break;
    }
    const std::string_view name = text_.substr(0, end);
    text_.remove_prefix(end);
    if (type->kind() != TypeKind::kString) return type;
    auto parsed = ParsePrimitiveType(name);
    if (!parsed || (*parsed)->kind() != TypeKind::kString) return nullptr;
    return LengthOf(**parsed) ? *parsed : type;
  }

  std::string_view text_;
};

// A field that was added to a struct tells its lengths itself.
TypePtr WithLengthsWithin(const TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::kStruct: {
      std::vector<StructField> fields = type->fields();
      for (auto& field : fields) field.type = DeclaredTypeOf(field);
      return DataType::Struct(std::move(fields));
    }
    case TypeKind::kArray:
      return DataType::Array(WithLengthsWithin(type->element()), type->contains_null());
    case TypeKind::kMap:
      return DataType::Map(WithLengthsWithin(type->key()), WithLengthsWithin(type->value()),
                           type->contains_null());
    default:
      return type;
  }
}

}  // namespace

std::string CatalogText(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kStruct: {
      std::string out = "struct<";
      for (const auto& field : type.fields()) {
        if (&field != &type.fields().front()) out += ",";
        out += field.name + ":" + CatalogText(*field.type);
      }
      return out + ">";
    }
    case TypeKind::kArray:
      return "array<" + CatalogText(*type.element()) + ">";
    case TypeKind::kMap:
      return "map<" + CatalogText(*type.key()) + "," + CatalogText(*type.value()) + ">";
    case TypeKind::kString:
    case TypeKind::kInterval:
      return type.name().empty() ? "string" : type.name();
    default:
      return ToLowerAscii(type.ToSql());
  }
}

std::string TypeDeclaration(const TypePtr& type) {
  StructField field;
  field.name = "declared";
  field.type = type;
  return DataType::Struct({std::move(field)})->ToJson();
}

bool IsTypeDeclaration(std::string_view text) { return StartsWith(text, "{"); }

Result<TypePtr> ParseTypeDeclaration(std::string_view text) {
  WEIR_ASSIGN_OR_RETURN(const TypePtr schema, ParseSchema(text));
  if (schema->fields().size() == 1) return schema->fields().front().type;
  return Fail(CorruptLog("DELTA_SCHEMA_NOT_PARSABLE", "a declaration is of one type", "KD00D"));
}

std::optional<TextLength> LengthOf(const DataType& type) {
  if (type.kind() != TypeKind::kString) return std::nullopt;
  const std::string& name = type.name();
  const size_t open = name.find('(');
  if (open == std::string::npos || name.back() != ')') return std::nullopt;
  const auto characters =
      ParseInt64(std::string_view(name).substr(open + 1, name.size() - open - 2));
  if (!characters) return std::nullopt;
  return TextLength{*characters, StartsWith(name, "char")};
}

bool HasTextLengths(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kStruct:
      return std::any_of(type.fields().begin(), type.fields().end(),
                         [](const StructField& field) { return HasTextLengths(*field.type); });
    case TypeKind::kArray:
      return HasTextLengths(*type.element());
    case TypeKind::kMap:
      return HasTextLengths(*type.key()) || HasTextLengths(*type.value());
    default:
      return LengthOf(type).has_value();
  }
}

StructField WithStoredLengths(StructField column) {
  column.metadata.Remove(kKey);
  if (!HasTextLengths(*column.type)) return column;
  column.metadata.Set(std::string(kKey), JsonValue::String(CatalogText(*column.type)));
  column.type = WithoutLengths(column.type);
  return column;
}

TypePtr DeclaredTypeOf(const StructField& column) {
  const TypePtr type = WithLengthsWithin(column.type);
  const std::string* text = column.MetadataText(kKey);
  TypePtr declared = text ? Reader(*text).ReadAll(type) : nullptr;
  return declared ? declared : type;
}

}  // namespace weir::delta
