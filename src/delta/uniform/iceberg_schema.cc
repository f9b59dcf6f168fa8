// SPDX-License-Identifier: Apache-2.0
#include "delta/uniform/iceberg_schema.h"

#include <limits>

#include "base/text.h"
#include "iceberg/table_metadata.h"

namespace weir::delta {
namespace {

constexpr const char* kMaxColumnId = "delta.columnMapping.maxColumnId";
constexpr const char* kNestedIds = "delta.columnMapping.nested.ids";

Error CannotConvert(const std::string& what) {
  return UnsupportedFeature("DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED", "iceberg: " + what,
                            "KD00E");
}

// A type and the mapping of the fields below it.
struct Converted {
  JsonValue type;
  JsonValue mapping = JsonValue::Array();
};

JsonValue MappingEntry(const std::string& name, int64_t id, JsonValue below) {
  JsonValue entry = JsonValue::Object();
  entry.Set("field-id", JsonValue::Int(id));
  entry.Set("names", JsonValue::Array({JsonValue::String(name)}));
  if (!below.items().empty()) entry.Set("fields", std::move(below));
  return entry;
}

// Within one field: the ids of elements, keys and values stand in its metadata, by their paths.
class FieldConverter {
 public:
  explicit FieldConverter(const StructField& field) : field_(field) {}

  Result<Converted> Convert() { return Convert(*field_.type, field_.physical_name()); }

  static Result<Converted> ConvertStruct(const DataType& type) {
    Converted converted;
    std::vector<JsonValue> fields;
    for (const StructField& field : type.fields()) {
      const auto id = field.field_id();
      if (!id) return Fail(CannotConvert("column \"" + field.name + "\" has no id"));
      WEIR_ASSIGN_OR_RETURN(Converted below, FieldConverter(field).Convert());
      JsonValue json = JsonValue::Object();
      json.Set("id", JsonValue::Int(*id));
      json.Set("name", JsonValue::String(field.name));
      json.Set("required", JsonValue::Bool(!field.nullable));
      json.Set("type", std::move(below.type));
      if (const std::string* comment = field.MetadataText("comment"))
        json.Set("doc", JsonValue::String(*comment));
      fields.push_back(std::move(json));
      converted.mapping.items().push_back(
          MappingEntry(field.physical_name(), *id, std::move(below.mapping)));
    }
    converted.type = JsonValue::Object();
    converted.type.Set("type", JsonValue::String("struct"));
    converted.type.Set("fields", JsonValue::Array(std::move(fields)));
    return converted;
  }

 private:
  // A list's element, a map's key or value.
  struct Part {
    int64_t id = 0;
    Converted converted;
  };

  Result<Part> ConvertPart(const DataType& type, const std::string& path, const char* name) {
    const std::string part_path = path + "." + name;
    const JsonValue* ids = field_.metadata.Find(kNestedIds);
    const JsonValue* id = ids ? ids->Find(part_path) : nullptr;
    if (id == nullptr || !id->AsInt64())
      return Fail(CannotConvert("column \"" + field_.name + "\" has no id for " + part_path));
    Part part{*id->AsInt64(), {}};
    WEIR_ASSIGN_OR_RETURN(part.converted, Convert(type, part_path));
    return part;
  }

  Result<Converted> ConvertArray(const DataType& type, const std::string& path) {
    WEIR_ASSIGN_OR_RETURN(Part element, ConvertPart(*type.element(), path, "element"));
    Converted list{JsonValue::Object()};
    list.type.Set("type", JsonValue::String("list"));
    list.type.Set("element-id", JsonValue::Int(element.id));
    list.type.Set("element-required", JsonValue::Bool(!type.contains_null()));
    list.type.Set("element", std::move(element.converted.type));
    list.mapping.items().push_back(
        MappingEntry("element", element.id, std::move(element.converted.mapping)));
    return list;
  }

  Result<Converted> ConvertMap(const DataType& type, const std::string& path) {
    WEIR_ASSIGN_OR_RETURN(Part key, ConvertPart(*type.key(), path, "key"));
    WEIR_ASSIGN_OR_RETURN(Part value, ConvertPart(*type.value(), path, "value"));
    Converted map{JsonValue::Object()};
    map.type.Set("type", JsonValue::String("map"));
    map.type.Set("key-id", JsonValue::Int(key.id));
    map.type.Set("key", std::move(key.converted.type));
    map.type.Set("value-id", JsonValue::Int(value.id));
    map.type.Set("value-required", JsonValue::Bool(!type.contains_null()));
    map.type.Set("value", std::move(value.converted.type));
    map.mapping.items().push_back(MappingEntry("key", key.id, std::move(key.converted.mapping)));
    map.mapping.items().push_back(
        MappingEntry("value", value.id, std::move(value.converted.mapping)));
    return map;
  }

  Result<Converted> Convert(const DataType& type, const std::string& path) {
    switch (type.kind()) {
      case TypeKind::kStruct:
        return ConvertStruct(type);
      case TypeKind::kArray:
        return ConvertArray(type, path);
      case TypeKind::kMap:
        return ConvertMap(type, path);
      default: {
        const auto primitive = ToIcebergType(type);
        if (!primitive)
          return Fail(CannotConvert("column \"" + field_.name + "\" is a " + type.ToSql() +
                                    ", which Iceberg has not"));
        return Converted{JsonValue::String(primitive->ToText())};
      }
    }
  }

  const StructField& field_;
};

}  // namespace

std::optional<iceberg::PrimitiveType> ToIcebergType(const DataType& type) {
  using Kind = iceberg::PrimitiveKind;
  switch (type.kind()) {
    case TypeKind::kBoolean:
      return iceberg::PrimitiveType{Kind::kBoolean};
    case TypeKind::kByte:
    case TypeKind::kShort:
    case TypeKind::kInteger:
      return iceberg::PrimitiveType{Kind::kInt};
    case TypeKind::kLong:
      return iceberg::PrimitiveType{Kind::kLong};
    case TypeKind::kFloat:
      return iceberg::PrimitiveType{Kind::kFloat};
    case TypeKind::kDouble:
      return iceberg::PrimitiveType{Kind::kDouble};
    case TypeKind::kDecimal:
      return iceberg::PrimitiveType{Kind::kDecimal, type.precision(), type.scale()};
    case TypeKind::kString:
      return iceberg::PrimitiveType{Kind::kString};
    case TypeKind::kBinary:
      return iceberg::PrimitiveType{Kind::kBinary};
    case TypeKind::kDate:
      return iceberg::PrimitiveType{Kind::kDate};
    case TypeKind::kTimestamp:
      return iceberg::PrimitiveType{Kind::kTimestampTz};
    case TypeKind::kTimestampNtz:
      return iceberg::PrimitiveType{Kind::kTimestamp};
    default:
      return std::nullopt;
  }
}

std::optional<std::string> ToSingleValue(const DataType& type, const Value& value) {
  switch (type.kind()) {
    case TypeKind::kBoolean:
      return value.if_bool() ? std::optional(iceberg::BooleanBytes(*value.if_bool()))
                             : std::nullopt;
    case TypeKind::kByte:
    case TypeKind::kShort:
    case TypeKind::kInteger:
    case TypeKind::kDate: {
      const int64_t* number = value.if_int();
      if (number == nullptr || *number < std::numeric_limits<int32_t>::min() ||
          *number > std::numeric_limits<int32_t>::max())
        return std::nullopt;
      return iceberg::IntBytes(static_cast<int32_t>(*number));
    }
    case TypeKind::kLong:
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz:
      return value.if_int() ? std::optional(iceberg::LongBytes(*value.if_int())) : std::nullopt;
    case TypeKind::kFloat:
      if (!value.if_double()) return std::nullopt;
      return iceberg::FloatBytes(static_cast<float>(*value.if_double()));
    case TypeKind::kDouble:
      return value.if_double() ? std::optional(iceberg::DoubleBytes(*value.if_double()))
                               : std::nullopt;
    case TypeKind::kDecimal: {
      const auto decimal =
          value.if_decimal() ? value.if_decimal()->Rescaled(type.scale()) : std::nullopt;
      return decimal ? std::optional(iceberg::DecimalBytes(decimal->unscaled)) : std::nullopt;
    }
    case TypeKind::kString:
    case TypeKind::kBinary:
      return value.if_string() ? std::optional(*value.if_string()) : std::nullopt;
    default:
      return std::nullopt;
  }
}

Result<IcebergSchema> ToIcebergSchema(const DataType& schema, const Metadata& metadata) {
  WEIR_ASSIGN_OR_RETURN(Converted converted, FieldConverter::ConvertStruct(schema));
  IcebergSchema result;
  result.fields = *converted.type.Find("fields");
  result.name_mapping = std::move(converted.mapping);
  const auto last_id = metadata.configuration.find(kMaxColumnId);
  if (last_id != metadata.configuration.end())
    result.last_column_id = static_cast<int>(ParseInt64(last_id->second).value_or(0));
  int field_id = iceberg::kFirstPartitionFieldId;
  for (const std::string& column : metadata.partition_columns) {
    const StructField* field = schema.FindField(column);
    const auto type = field ? ToIcebergType(*field->type) : std::nullopt;
    if (!type) return Fail(CannotConvert("partition column \"" + column + "\" has no type"));
    result.partition_fields.push_back(
        {static_cast<int>(*field->field_id()), field_id++, field->name, *type});
  }
  return result;
}

}  // namespace weir::delta
