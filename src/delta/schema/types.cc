// SPDX-License-Identifier: Apache-2.0
#include "delta/schema/types.h"

#include <array>
#include <string>

#include "base/text.h"

namespace weir::delta {
namespace {

std::string ToUpperAscii(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::string_view SqlName(TypeKind kind) {
  switch (kind) {
    case TypeKind::kBoolean:
      return "BOOLEAN";
    case TypeKind::kByte:
      return "TINYINT";
    case TypeKind::kShort:
      return "SMALLINT";
    case TypeKind::kInteger:
      return "INT";
    case TypeKind::kLong:
      return "BIGINT";
    case TypeKind::kFloat:
      return "FLOAT";
    case TypeKind::kDouble:
      return "DOUBLE";
    case TypeKind::kDecimal:
      return "DECIMAL";
    case TypeKind::kString:
      return "STRING";
    case TypeKind::kBinary:
      return "BINARY";
    case TypeKind::kDate:
      return "DATE";
    case TypeKind::kTimestamp:
      return "TIMESTAMP";
    case TypeKind::kTimestampNtz:
      return "TIMESTAMP_NTZ";
    case TypeKind::kVariant:
      return "VARIANT";
    case TypeKind::kVoid:
      return "VOID";
    case TypeKind::kInterval:
      return "INTERVAL";
    case TypeKind::kStruct:
      return "STRUCT";
    case TypeKind::kArray:
      return "ARRAY";
    case TypeKind::kMap:
      return "MAP";
  }
  return "";
}

std::string BacktickIfNeeded(const std::string& name) {
  auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  bool is_plain = !name.empty() && is_letter(name.front());
  for (char c : name) is_plain = is_plain && (is_letter(c) || (c >= '0' && c <= '9'));
  if (is_plain) return name;
  std::string out = "`";
  for (char c : name) {
    if (c == '`') out += '`';
    out += c;
  }
  return out + "`";
}

bool SameType(const TypePtr& a, const TypePtr& b) {
  if (a == b) return true;
  return a != nullptr && b != nullptr && a->Equals(*b);
}

}  // namespace

const std::string& StructField::physical_name() const {
  const std::string* physical = MetadataText("delta.columnMapping.physicalName");
  return physical != nullptr ? *physical : name;
}

std::optional<int64_t> StructField::field_id() const {
  const JsonValue* id = metadata.Find("delta.columnMapping.id");
  return id != nullptr ? id->AsInt64() : std::nullopt;
}

const std::string* StructField::MetadataText(std::string_view key) const {
  const JsonValue* value = metadata.Find(key);
  return value != nullptr && value->is_string() ? &value->text() : nullptr;
}

bool StructField::operator==(const StructField& other) const {
  return name == other.name && nullable == other.nullable && metadata == other.metadata &&
         SameType(type, other.type);
}

TypePtr DataType::Primitive(TypeKind kind) {
  constexpr size_t kCount = static_cast<size_t>(TypeKind::kMap) + 1;
  static const std::array<TypePtr, kCount> kTypes = [] {
    std::array<TypePtr, kCount> types;
    for (size_t i = 0; i < kCount; ++i) {
      std::shared_ptr<DataType> type(new DataType());
      type->kind_ = static_cast<TypeKind>(i);
      types[i] = std::move(type);
    }
    return types;
  }();
  return kTypes[static_cast<size_t>(kind)];
}

TypePtr DataType::Decimal(int precision, int scale) {
  std::shared_ptr<DataType> type(new DataType());
  type->kind_ = TypeKind::kDecimal;
  type->precision_ = precision;
  type->scale_ = scale;
  return type;
}

TypePtr DataType::Interval(std::string name) {
  std::shared_ptr<DataType> type(new DataType());
  type->kind_ = TypeKind::kInterval;
  type->name_ = std::move(name);
  return type;
}

TypePtr DataType::Text(std::string name) {
  std::shared_ptr<DataType> type(new DataType());
  type->kind_ = TypeKind::kString;
  type->name_ = std::move(name);
  return type;
}

TypePtr DataType::Struct(std::vector<StructField> fields) {
  std::shared_ptr<DataType> type(new DataType());
  type->kind_ = TypeKind::kStruct;
  type->fields_ = std::move(fields);
  return type;
}

TypePtr DataType::Array(TypePtr element, bool contains_null) {
  std::shared_ptr<DataType> type(new DataType());
  type->kind_ = TypeKind::kArray;
  type->element_ = std::move(element);
  type->contains_null_ = contains_null;
  return type;
}

TypePtr DataType::Map(TypePtr key, TypePtr value, bool value_contains_null) {
  std::shared_ptr<DataType> type(new DataType());
  type->kind_ = TypeKind::kMap;
  type->key_ = std::move(key);
  type->element_ = std::move(value);
  type->contains_null_ = value_contains_null;
  return type;
}

const StructField* DataType::FindField(std::string_view name) const {
  for (const auto& field : fields_) {
    if (EqualsIgnoreCase(field.name, name)) return &field;
  }
  return nullptr;
}

std::string DataType::ToSql() const {
  std::string out(SqlName(kind_));
  switch (kind_) {
    case TypeKind::kDecimal:
      return out + "(" + std::to_string(precision_) + "," + std::to_string(scale_) + ")";
    case TypeKind::kString:
    case TypeKind::kInterval:
      return name_.empty() ? out : ToUpperAscii(name_);
    case TypeKind::kStruct: {
      out += "<";
      for (const auto& field : fields_) {
        if (&field != &fields_.front()) out += ", ";
        out += BacktickIfNeeded(field.name) + ": " + field.type->ToSql();
        if (!field.nullable) out += " NOT NULL";
      }
      return out + ">";
    }
    case TypeKind::kArray:
      return out + "<" + element_->ToSql() + ">";
    case TypeKind::kMap:
      return out + "<" + key_->ToSql() + ", " + element_->ToSql() + ">";
    default:
      return out;
  }
}

bool DataType::Equals(const DataType& other) const {
  return kind_ == other.kind_ && precision_ == other.precision_ && scale_ == other.scale_ &&
         name_ == other.name_ && contains_null_ == other.contains_null_ &&
         SameType(key_, other.key_) && SameType(element_, other.element_) &&
         fields_ == other.fields_;
}

}  // namespace weir::delta
