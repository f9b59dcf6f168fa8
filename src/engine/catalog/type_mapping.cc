// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/type_mapping.h"

#include <utility>
#include <vector>

namespace weir::engine {

using delta::DataType;
using delta::TypeKind;
using delta::TypePtr;
using duckdb::LogicalType;
using duckdb::LogicalTypeId;

Result<LogicalType> ToDuckDB(const DataType& type) {
  switch (type.kind()) {
    case TypeKind::kBoolean:
      return LogicalType(LogicalTypeId::BOOLEAN);
    case TypeKind::kByte:
      return LogicalType(LogicalTypeId::TINYINT);
    case TypeKind::kShort:
      return LogicalType(LogicalTypeId::SMALLINT);
    case TypeKind::kInteger:
      return LogicalType(LogicalTypeId::INTEGER);
    case TypeKind::kLong:
      return LogicalType(LogicalTypeId::BIGINT);
    case TypeKind::kFloat:
      return LogicalType(LogicalTypeId::FLOAT);
    case TypeKind::kDouble:
      return LogicalType(LogicalTypeId::DOUBLE);
    case TypeKind::kDecimal:
      return LogicalType::DECIMAL(static_cast<uint8_t>(type.precision()),
                                  static_cast<uint8_t>(type.scale()));
    case TypeKind::kString:
      return LogicalType(LogicalTypeId::VARCHAR);
    case TypeKind::kBinary:
      return LogicalType(LogicalTypeId::BLOB);
    case TypeKind::kDate:
      return LogicalType(LogicalTypeId::DATE);
    case TypeKind::kTimestamp:
      return LogicalType(LogicalTypeId::TIMESTAMP_TZ);
    case TypeKind::kTimestampNtz:
      return LogicalType(LogicalTypeId::TIMESTAMP);
    case TypeKind::kVariant:
      return LogicalType::VARIANT();
    case TypeKind::kVoid:
      return LogicalType(LogicalTypeId::SQLNULL);
    case TypeKind::kInterval:
      return Fail(UnsupportedFeature(
          "DELTA_UNSUPPORTED_DATA_TYPE",
          "type " + type.ToSql() + " cannot be read: DuckDB has no interval of this kind",
          "0AKDC"));
    case TypeKind::kStruct: {
      duckdb::child_list_t<LogicalType> children;
      for (const auto& field : type.fields()) {
        WEIR_ASSIGN_OR_RETURN(auto child, ToDuckDB(*field.type));
        children.emplace_back(field.name, std::move(child));
      }
      return LogicalType::STRUCT(std::move(children));
    }
    case TypeKind::kArray: {
      WEIR_ASSIGN_OR_RETURN(auto element, ToDuckDB(*type.element()));
      return LogicalType::LIST(element);
    }
    case TypeKind::kMap: {
      WEIR_ASSIGN_OR_RETURN(auto key, ToDuckDB(*type.key()));
      WEIR_ASSIGN_OR_RETURN(auto value, ToDuckDB(*type.value()));
      return LogicalType::MAP(std::move(key), std::move(value));
    }
  }
  return Fail(InternalError("unknown type " + type.ToSql()));
}

namespace {

Result<TypePtr> FromNested(const LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::STRUCT: {
      std::vector<delta::StructField> fields;
      for (const auto& [name, child] : duckdb::StructType::GetChildTypes(type)) {
        delta::StructField field;
        field.name = name;
        WEIR_ASSIGN_OR_RETURN(field.type, FromDuckDB(child));
        fields.push_back(std::move(field));
      }
      return DataType::Struct(std::move(fields));
    }
    case LogicalTypeId::LIST: {
      WEIR_ASSIGN_OR_RETURN(auto element, FromDuckDB(duckdb::ListType::GetChildType(type)));
      return DataType::Array(std::move(element), true);
    }
    case LogicalTypeId::ARRAY: {
      WEIR_ASSIGN_OR_RETURN(auto element, FromDuckDB(duckdb::ArrayType::GetChildType(type)));
      return DataType::Array(std::move(element), true);
    }
    case LogicalTypeId::MAP: {
      WEIR_ASSIGN_OR_RETURN(auto key, FromDuckDB(duckdb::MapType::KeyType(type)));
      WEIR_ASSIGN_OR_RETURN(auto value, FromDuckDB(duckdb::MapType::ValueType(type)));
      return DataType::Map(std::move(key), std::move(value), true);
    }
    default:
      return Fail(UnsupportedFeature(
          "DELTA_UNSUPPORTED_DATA_TYPE",
          "Delta has no type for " + type.ToString() +
              "; cast the column to one it has, e.g. VARCHAR, DECIMAL(38,0), TIMESTAMP or BLOB",
          "0AKDC"));
  }
}

}  // namespace

Result<TypePtr> FromDuckDB(const LogicalType& type) {
  switch (type.id()) {
    case LogicalTypeId::BOOLEAN:
      return DataType::Primitive(TypeKind::kBoolean);
    case LogicalTypeId::TINYINT:
      return DataType::Primitive(TypeKind::kByte);
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::UTINYINT:
      return DataType::Primitive(TypeKind::kShort);
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::USMALLINT:
      return DataType::Primitive(TypeKind::kInteger);
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::UINTEGER:
      return DataType::Primitive(TypeKind::kLong);
    case LogicalTypeId::UBIGINT:
      return DataType::Decimal(20, 0);
    case LogicalTypeId::HUGEINT:
      return DataType::Decimal(38, 0);
    case LogicalTypeId::FLOAT:
      return DataType::Primitive(TypeKind::kFloat);
    case LogicalTypeId::DOUBLE:
      return DataType::Primitive(TypeKind::kDouble);
    case LogicalTypeId::DECIMAL:
      return DataType::Decimal(duckdb::DecimalType::GetWidth(type),
                               duckdb::DecimalType::GetScale(type));
    case LogicalTypeId::VARCHAR:
    case LogicalTypeId::ENUM:
      return DataType::Primitive(TypeKind::kString);
    case LogicalTypeId::BLOB:
      return DataType::Primitive(TypeKind::kBinary);
    case LogicalTypeId::DATE:
      return DataType::Primitive(TypeKind::kDate);
    case LogicalTypeId::TIMESTAMP_TZ:
      return DataType::Primitive(TypeKind::kTimestamp);
    case LogicalTypeId::TIMESTAMP:
    case LogicalTypeId::TIMESTAMP_SEC:
    case LogicalTypeId::TIMESTAMP_MS:
      return DataType::Primitive(TypeKind::kTimestampNtz);
    case LogicalTypeId::VARIANT:
      return DataType::Primitive(TypeKind::kVariant);
    case LogicalTypeId::SQLNULL:
      return DataType::Primitive(TypeKind::kVoid);
    default:
      return FromNested(type);
  }
}

}  // namespace weir::engine
