// SPDX-License-Identifier: Apache-2.0
#include "engine/values.h"

#include <string>

#include "duckdb/common/types/decimal.hpp"
#include "duckdb/common/types/hugeint.hpp"

#include "engine/catalog/type_mapping.h"

namespace weir::engine {

using delta::TypeKind;
using duckdb::LogicalTypeId;

namespace {

bool IsInteger(TypeKind kind) {
  return kind == TypeKind::kByte || kind == TypeKind::kShort || kind == TypeKind::kInteger ||
         kind == TypeKind::kLong;
}

bool IsSmallInteger(LogicalTypeId id) {
  switch (id) {
    case LogicalTypeId::TINYINT:
    case LogicalTypeId::SMALLINT:
    case LogicalTypeId::INTEGER:
    case LogicalTypeId::BIGINT:
    case LogicalTypeId::UTINYINT:
    case LogicalTypeId::USMALLINT:
    case LogicalTypeId::UINTEGER:
      return true;
    default:
      return false;
  }
}

duckdb::hugeint_t ToHugeint(delta::Int128 value) {
  duckdb::hugeint_t result;
  result.lower = static_cast<uint64_t>(value);
  result.upper = static_cast<int64_t>(value >> 64);
  return result;
}

std::optional<delta::Value> FromDate(const duckdb::Value& value) {
  const auto date = value.GetValueUnsafe<duckdb::date_t>();
  if (!duckdb::Value::IsFinite(date)) return std::nullopt;
  return delta::Value(static_cast<int64_t>(date.days));
}

std::optional<delta::Value> FromTimestamp(const duckdb::Value& value) {
  const auto timestamp = value.GetValueUnsafe<duckdb::timestamp_t>();
  if (!duckdb::Value::IsFinite(timestamp)) return std::nullopt;
  return delta::Value(timestamp.value);
}

std::optional<delta::Value> FromDecimal(const duckdb::Value& value) {
  auto decimal = delta::Decimal::Parse(value.ToString());
  if (!decimal) return std::nullopt;
  return delta::Value(*decimal);
}

}  // namespace

std::optional<delta::Value> ToDelta(const duckdb::Value& value, const delta::DataType& type) {
  const auto id = value.type().id();
  if (value.IsNull()) return delta::Value();
  if (IsInteger(type.kind())) {
    if (!IsSmallInteger(id)) return std::nullopt;
    return delta::Value(value.GetValue<int64_t>());
  }
  switch (type.kind()) {
    case TypeKind::kBoolean:
      if (id == LogicalTypeId::BOOLEAN) return delta::Value(value.GetValue<bool>());
      break;
    case TypeKind::kFloat:
      if (id == LogicalTypeId::FLOAT)
        return delta::Value(static_cast<double>(value.GetValue<float>()));
      break;
    case TypeKind::kDouble:
      if (id == LogicalTypeId::DOUBLE) return delta::Value(value.GetValue<double>());
      break;
    case TypeKind::kDecimal:
      if (id == LogicalTypeId::DECIMAL) return FromDecimal(value);
      break;
    case TypeKind::kString:
      if (id == LogicalTypeId::VARCHAR) return delta::Value(duckdb::StringValue::Get(value));
      break;
    case TypeKind::kBinary:
      if (id == LogicalTypeId::BLOB) return delta::Value(duckdb::StringValue::Get(value));
      break;
    case TypeKind::kDate:
      if (id == LogicalTypeId::DATE) return FromDate(value);
      break;
    case TypeKind::kTimestamp:
      if (id == LogicalTypeId::TIMESTAMP_TZ) return FromTimestamp(value);
      break;
    case TypeKind::kTimestampNtz:
      if (id == LogicalTypeId::TIMESTAMP) return FromTimestamp(value);
      break;
    default:
      break;
  }
  return std::nullopt;
}

duckdb::Value ToDuckDB(const delta::Value& value, const duckdb::LogicalType& type) {
  if (value.is_null()) return duckdb::Value(type);
  if (const auto* boolean = value.if_bool()) return duckdb::Value::BOOLEAN(*boolean);
  if (const auto* integer = value.if_int()) {
    switch (type.id()) {
      case LogicalTypeId::DATE:
        return duckdb::Value::DATE(duckdb::date_t(static_cast<int32_t>(*integer)));
      case LogicalTypeId::TIMESTAMP_TZ:
        return duckdb::Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(*integer));
      case LogicalTypeId::TIMESTAMP:
        return duckdb::Value::TIMESTAMP(duckdb::timestamp_t(*integer));
      default:
        return duckdb::Value::Numeric(type, *integer);
    }
  }
  if (const auto* number = value.if_double()) {
    return type.id() == LogicalTypeId::FLOAT ? duckdb::Value::FLOAT(static_cast<float>(*number))
                                             : duckdb::Value::DOUBLE(*number);
  }
  if (const auto* decimal = value.if_decimal()) {
    const auto width = duckdb::DecimalType::GetWidth(type);
    const auto scale = duckdb::DecimalType::GetScale(type);
    const auto unscaled = decimal->Rescaled(scale).value_or(*decimal).unscaled;
    if (width > duckdb::Decimal::MAX_WIDTH_INT64)
      return duckdb::Value::DECIMAL(ToHugeint(unscaled), width, scale);
    return duckdb::Value::DECIMAL(static_cast<int64_t>(unscaled), width, scale);
  }
  const auto& text = *value.if_string();
  return type.id() == LogicalTypeId::BLOB ? duckdb::Value::BLOB_RAW(text) : duckdb::Value(text);
}

}  // namespace weir::engine
