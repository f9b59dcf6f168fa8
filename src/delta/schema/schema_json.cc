// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <utility>

#include "base/text.h"
#include "delta/schema/types.h"

namespace weir::delta {
namespace {

constexpr int kMaxPrecision = 38;

struct PrimitiveName {
  std::string_view name;
  TypeKind kind;
};

/// The first name of a kind is the one that is written.
constexpr PrimitiveName kPrimitiveNames[] = {
    {"boolean", TypeKind::kBoolean},
    {"byte", TypeKind::kByte},
    {"short", TypeKind::kShort},
    {"integer", TypeKind::kInteger},
    {"long", TypeKind::kLong},
    {"float", TypeKind::kFloat},
    {"double", TypeKind::kDouble},
    {"string", TypeKind::kString},
    {"binary", TypeKind::kBinary},
    {"date", TypeKind::kDate},
    {"timestamp", TypeKind::kTimestamp},
    {"timestamp_ltz", TypeKind::kTimestamp},
    {"timestamp_ntz", TypeKind::kTimestampNtz},
    {"variant", TypeKind::kVariant},
    {"void", TypeKind::kVoid},
    {"null", TypeKind::kVoid},
};

constexpr std::string_view kIntervalNames[] = {
    "interval",
    "interval year",
    "interval month",
    "interval year to month",
    "interval day",
    "interval day to hour",
    "interval day to minute",
    "interval day to second",
    "interval hour",
    "interval hour to minute",
    "interval hour to second",
    "interval minute",
    "interval minute to second",
    "interval second",
};

/// Where in the schema we are, for messages: "address.lines.element".
std::string Below(const std::string& place, std::string_view name) {
  return place.empty() ? std::string(name) : place + "." + std::string(name);
}

Error NotASchema(const std::string& place, const std::string& reason) {
  return CorruptLog("DELTA_SCHEMA_NOT_PARSABLE",
                    "the table's schema cannot be read" +
                        (place.empty() ? std::string() : ", at column '" + place + "'") + ": " +
                        reason);
}

Error UnknownType(std::string_view name) {
  return UnsupportedFeature("DELTA_UNSUPPORTED_DATA_TYPE",
                            "data type '" + std::string(name) + "' is not supported", "0AKDC");
}

std::optional<int> ParseInt(std::string_view text) {
  text = Trim(text);
  int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The text between the brackets of `name(...)`.
std::optional<std::string_view> Arguments(std::string_view text, std::string_view name) {
  if (!StartsWith(text, name)) return std::nullopt;
  text.remove_prefix(name.size());
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
  return text.substr(1, text.size() - 2);
}

Result<TypePtr> ParseDecimal(std::string_view name, std::string_view arguments) {
  size_t comma = arguments.find(',');
  if (comma == std::string_view::npos) return Fail(UnknownType(name));
  auto precision = ParseInt(arguments.substr(0, comma));
  auto scale = ParseInt(arguments.substr(comma + 1));
  if (!precision || !scale) return Fail(UnknownType(name));
  if (*precision < 1 || *precision > kMaxPrecision || *scale < 0 || *scale > *precision) {
    return Fail(NotASchema({}, "'" + std::string(name) + "' is out of range; precision is 1 to " +
                                   std::to_string(kMaxPrecision) + ", scale 0 to the precision"));
  }
  return DataType::Decimal(*precision, *scale);
}

Result<TypePtr> ParseType(const JsonValue& json, const std::string& place);

Result<const JsonValue*> Member(const JsonValue& object, std::string_view key, JsonValue::Kind kind,
                                const std::string& place) {
  const JsonValue* value = object.Find(key);
  if (value == nullptr) {
    return Fail(NotASchema(place, "member '" + std::string(key) + "' is missing"));
  }
  if (value->kind() != kind) {
    std::string_view wanted = kind == JsonValue::Kind::kBool     ? "a boolean"
                              : kind == JsonValue::Kind::kString ? "a string"
                              : kind == JsonValue::Kind::kArray  ? "an array"
                                                                 : "an object";
    return Fail(NotASchema(place, "member '" + std::string(key) + "' must be " +
                                      std::string(wanted) + ", found " + value->ToString()));
  }
  return value;
}

Result<TypePtr> MemberType(const JsonValue& object, std::string_view key, const std::string& place,
                           std::string_view step) {
  const JsonValue* type = object.Find(key);
  if (type == nullptr) {
    return Fail(NotASchema(place, "member '" + std::string(key) + "' is missing"));
  }
  return ParseType(*type, Below(place, step));
}

Result<StructField> ParseField(const JsonValue& json, const std::string& place) {
  if (!json.is_object()) return Fail(NotASchema(place, "a field must be an object"));
  StructField field;
  WEIR_ASSIGN_OR_RETURN(const JsonValue* name,
                        Member(json, "name", JsonValue::Kind::kString, place));
  field.name = name->text();
  std::string here = Below(place, field.name);
  WEIR_ASSIGN_OR_RETURN(const JsonValue* nullable,
                        Member(json, "nullable", JsonValue::Kind::kBool, here));
  field.nullable = nullable->bool_value();
  if (json.Find("metadata") != nullptr) {
    WEIR_ASSIGN_OR_RETURN(const JsonValue* metadata,
                          Member(json, "metadata", JsonValue::Kind::kObject, here));
    field.metadata = *metadata;
  }
  WEIR_ASSIGN_OR_RETURN(field.type, MemberType(json, "type", place, field.name));
  return field;
}

Result<TypePtr> ParseStruct(const JsonValue& json, const std::string& place) {
  WEIR_ASSIGN_OR_RETURN(const JsonValue* items,
                        Member(json, "fields", JsonValue::Kind::kArray, place));
  std::vector<StructField> fields;
  fields.reserve(items->items().size());
  for (const auto& item : items->items()) {
    WEIR_ASSIGN_OR_RETURN(auto field, ParseField(item, place));
    fields.push_back(std::move(field));
  }
  return DataType::Struct(std::move(fields));
}

Result<TypePtr> ParseArray(const JsonValue& json, const std::string& place) {
  WEIR_ASSIGN_OR_RETURN(auto element, MemberType(json, "elementType", place, "element"));
  WEIR_ASSIGN_OR_RETURN(const JsonValue* contains_null,
                        Member(json, "containsNull", JsonValue::Kind::kBool, place));
  return DataType::Array(std::move(element), contains_null->bool_value());
}

Result<TypePtr> ParseMap(const JsonValue& json, const std::string& place) {
  WEIR_ASSIGN_OR_RETURN(auto key, MemberType(json, "keyType", place, "key"));
  WEIR_ASSIGN_OR_RETURN(auto value, MemberType(json, "valueType", place, "value"));
  WEIR_ASSIGN_OR_RETURN(const JsonValue* contains_null,
                        Member(json, "valueContainsNull", JsonValue::Kind::kBool, place));
  return DataType::Map(std::move(key), std::move(value), contains_null->bool_value());
}

Result<TypePtr> ParseType(const JsonValue& json, const std::string& place) {
  if (json.is_string()) {
    auto type = ParsePrimitiveType(json.text());
    if (type || place.empty()) return type;
    return Fail(type.error().WithContext("column '" + place + "'"));
  }
  if (!json.is_object()) {
    return Fail(NotASchema(place, "a type must be a name or an object, found " + json.ToString()));
  }
  WEIR_ASSIGN_OR_RETURN(const JsonValue* kind,
                        Member(json, "type", JsonValue::Kind::kString, place));
  if (kind->text() == "struct") return ParseStruct(json, place);
  if (kind->text() == "array") return ParseArray(json, place);
  if (kind->text() == "map") return ParseMap(json, place);
  Error error = UnknownType(kind->text());
  return Fail(place.empty() ? error : error.WithContext("column '" + place + "'"));
}

std::string_view NameOf(TypeKind kind) {
  for (const auto& entry : kPrimitiveNames) {
    if (entry.kind == kind) return entry.name;
  }
  return "void";
}

void AppendField(std::string& out, const StructField& field) {
  out += "{\"name\":";
  AppendJsonString(out, field.name);
  out += ",\"type\":";
  field.type->AppendJson(out);
  out += field.nullable ? ",\"nullable\":true,\"metadata\":" : ",\"nullable\":false,\"metadata\":";
  field.metadata.AppendTo(out);
  out += '}';
}

}  // namespace

Result<TypePtr> ParsePrimitiveType(std::string_view name) {
  for (const auto& entry : kPrimitiveNames) {
    if (entry.name == name) return DataType::Primitive(entry.kind);
  }
  for (std::string_view interval : kIntervalNames) {
    if (interval == name) return DataType::Interval(std::string(name));
  }
  if (name == "decimal") return DataType::Decimal(10, 0);
  if (auto arguments = Arguments(name, "decimal")) return ParseDecimal(name, *arguments);
  for (std::string_view text_type : {"char", "varchar"}) {
    auto arguments = Arguments(name, text_type);
    if (arguments && ParseInt(*arguments).value_or(0) > 0) return DataType::Text(std::string(name));
  }
  return Fail(UnknownType(name));
}

Result<TypePtr> ParseSchema(std::string_view schema_string) {
  auto json = JsonValue::Parse(schema_string);
  if (!json) return Fail(NotASchema({}, json.error().message));
  const JsonValue* kind = json->Find("type");
  if (kind == nullptr || !kind->is_string() || kind->text() != "struct") {
    return Fail(NotASchema({}, "it must be an object of \"type\":\"struct\""));
  }
  return ParseStruct(*json, {});
}

void DataType::AppendJson(std::string& out) const {
  switch (kind_) {
    case TypeKind::kStruct:
      out += "{\"type\":\"struct\",\"fields\":[";
      for (const auto& field : fields_) {
        if (&field != &fields_.front()) out += ',';
        AppendField(out, field);
      }
      out += "]}";
      return;
    case TypeKind::kArray:
      out += "{\"type\":\"array\",\"elementType\":";
      element_->AppendJson(out);
      out += contains_null_ ? ",\"containsNull\":true}" : ",\"containsNull\":false}";
      return;
    case TypeKind::kMap:
      out += "{\"type\":\"map\",\"keyType\":";
      key_->AppendJson(out);
      out += ",\"valueType\":";
      element_->AppendJson(out);
      out += contains_null_ ? ",\"valueContainsNull\":true}" : ",\"valueContainsNull\":false}";
      return;
    case TypeKind::kDecimal:
      out += "\"decimal(" + std::to_string(precision_) + "," + std::to_string(scale_) + ")\"";
      return;
    default:
      out += '"';
      out += name_.empty() ? NameOf(kind_) : std::string_view(name_);
      out += '"';
  }
}

std::string DataType::ToJson() const {
  std::string out;
  AppendJson(out);
  return out;
}

}  // namespace weir::delta
