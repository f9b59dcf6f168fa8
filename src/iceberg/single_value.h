// SPDX-License-Identifier: Apache-2.0
//
// Primitive types of Iceberg and their values as bytes (specification, appendix D "Single-value
// serialization", binary form): bounds of columns and values of partitions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::iceberg {

__extension__ using Int128 = __int128;

enum class PrimitiveKind {
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kDecimal,
  kDate,
  kTimestamp,    ///< Microseconds without a zone.
  kTimestampTz,  ///< Microseconds in UTC.
  kString,
  kBinary,
};

struct PrimitiveType {
  PrimitiveKind kind = PrimitiveKind::kString;
  int precision = 0;  ///< Of a decimal.
  int scale = 0;      ///< Of a decimal.

  /// The name in a schema: "long", "timestamptz", "decimal(10, 2)".
  std::string ToText() const;
  bool operator==(const PrimitiveType&) const = default;
};

std::string BooleanBytes(bool value);
/// int and date.
std::string IntBytes(int32_t value);
/// long, timestamp and timestamptz.
std::string LongBytes(int64_t value);
std::string FloatBytes(float value);
std::string DoubleBytes(double value);
/// The unscaled value, big-endian, in as few bytes as hold it with its sign.
std::string DecimalBytes(Int128 unscaled);

/// How many bytes hold any decimal of a precision (1 to 38) with its sign.
int DecimalWidth(int precision);

/// The order of two values of a type: below zero, zero, above zero. Bytes that are no value of the
/// type compare as texts do. NaN is above everything.
int CompareValues(const PrimitiveType& type, std::string_view a, std::string_view b);

/// Whether the value is NaN; false for types without one.
bool IsNan(const PrimitiveType& type, std::string_view value);

}  // namespace weir::iceberg
