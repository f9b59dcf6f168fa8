// SPDX-License-Identifier: Apache-2.0
#include "engine/write/value_conversion.h"

#include "duckdb/common/types/hugeint.hpp"

namespace weir::engine {

delta::Value ToDeltaValue(const duckdb::Value& value, const delta::DataType& type) {
  using delta::TypeKind;
  if (value.IsNull()) return delta::Value();
  switch (type.kind()) {
    case TypeKind::kBoolean:
      return delta::Value(duckdb::BooleanValue::Get(value));
    case TypeKind::kByte:
    case TypeKind::kShort:
    case TypeKind::kInteger:
    case TypeKind::kLong:
      return delta::Value(value.GetValue<int64_t>());
    case TypeKind::kDate:
      return delta::Value(static_cast<int64_t>(duckdb::DateValue::Get(value).days));
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampNtz:
      return delta::Value(static_cast<int64_t>(duckdb::TimestampValue::Get(value).value));
    case TypeKind::kFloat:
      return delta::Value(static_cast<double>(duckdb::FloatValue::Get(value)));
    case TypeKind::kDouble:
      return delta::Value(duckdb::DoubleValue::Get(value));
    case TypeKind::kDecimal: {
      const duckdb::hugeint_t unscaled = duckdb::IntegralValue::Get(value);
      return delta::Value(delta::Decimal{(static_cast<delta::Int128>(unscaled.upper) << 64) |
                                             static_cast<delta::Int128>(unscaled.lower),
                                         type.scale()});
    }
    case TypeKind::kString:
    case TypeKind::kBinary:
      return delta::Value(duckdb::StringValue::Get(value));
    default:
      return delta::Value();
  }
}

}  // namespace weir::engine
