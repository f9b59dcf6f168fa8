// SPDX-License-Identifier: Apache-2.0
#include "iceberg/single_value.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

namespace weir::iceberg {
namespace {

static_assert(std::endian::native == std::endian::little);

template <typename T>
std::string LittleEndian(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

template <typename T>
std::optional<T> Read(std::string_view bytes) {
  if (bytes.size() != sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

std::optional<Int128> ReadDecimal(std::string_view bytes) {
  if (bytes.empty() || bytes.size() > sizeof(Int128)) return std::nullopt;
  Int128 value = static_cast<signed char>(bytes[0]) < 0 ? -1 : 0;
  for (const char byte : bytes) value = value * 256 + static_cast<unsigned char>(byte);
  return value;
}

template <typename T>
int Order(const std::optional<T>& a, const std::optional<T>& b) {
  if (!a || !b) return static_cast<int>(a.has_value()) - static_cast<int>(b.has_value());
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(*a) || std::isnan(*b))
      return static_cast<int>(std::isnan(*a)) - static_cast<int>(std::isnan(*b));
  }
  return static_cast<int>(*a > *b) - static_cast<int>(*a < *b);
}

}  // namespace

std::string PrimitiveType::ToText() const {
  switch (kind) {
    case PrimitiveKind::kBoolean:
      return "boolean";
    case PrimitiveKind::kInt:
      return "int";
    case PrimitiveKind::kLong:
      return "long";
    case PrimitiveKind::kFloat:
      return "float";
    case PrimitiveKind::kDouble:
      return "double";
    case PrimitiveKind::kDecimal:
      return "decimal(" + std::to_string(precision) + ", " + std::to_string(scale) + ")";
    case PrimitiveKind::kDate:
      return "date";
    case PrimitiveKind::kTimestamp:
      return "timestamp";
    case PrimitiveKind::kTimestampTz:
      return "timestamptz";
    case PrimitiveKind::kString:
      return "string";
    case PrimitiveKind::kBinary:
      return "binary";
  }
  return {};
}

std::string BooleanBytes(bool value) { return std::string(1, value ? '\1' : '\0'); }
std::string IntBytes(int32_t value) { return LittleEndian(value); }
std::string LongBytes(int64_t value) { return LittleEndian(value); }
std::string FloatBytes(float value) { return LittleEndian(value); }
std::string DoubleBytes(double value) { return LittleEndian(value); }

std::string DecimalBytes(Int128 unscaled) {
  std::string bytes;
  for (int shift = 120; shift >= 0; shift -= 8)
    bytes += static_cast<char>(static_cast<unsigned char>(unscaled >> shift));
  size_t begin = 0;
  const auto is_sign_alone = [&](size_t i) {
    const bool next_is_negative = static_cast<signed char>(bytes[i + 1]) < 0;
    return bytes[i] == (next_is_negative ? '\xFF' : '\0');
  };
  while (begin + 1 < bytes.size() && is_sign_alone(begin)) ++begin;
  return bytes.substr(begin);
}

int DecimalWidth(int precision) {
  Int128 greatest = 1;
  for (int i = 0; i < precision; ++i) greatest *= 10;
  return static_cast<int>(DecimalBytes(greatest - 1).size());
}

int CompareValues(const PrimitiveType& type, std::string_view a, std::string_view b) {
  switch (type.kind) {
    case PrimitiveKind::kInt:
    case PrimitiveKind::kDate:
      return Order(Read<int32_t>(a), Read<int32_t>(b));
    case PrimitiveKind::kLong:
    case PrimitiveKind::kTimestamp:
    case PrimitiveKind::kTimestampTz:
      return Order(Read<int64_t>(a), Read<int64_t>(b));
    case PrimitiveKind::kFloat:
      return Order(Read<float>(a), Read<float>(b));
    case PrimitiveKind::kDouble:
      return Order(Read<double>(a), Read<double>(b));
    case PrimitiveKind::kDecimal:
      return Order(ReadDecimal(a), ReadDecimal(b));
    case PrimitiveKind::kBoolean:
    case PrimitiveKind::kString:
    case PrimitiveKind::kBinary:
      return a.compare(b);
  }
  return 0;
}

bool IsNan(const PrimitiveType& type, std::string_view value) {
  if (type.kind == PrimitiveKind::kFloat) return std::isnan(Read<float>(value).value_or(0));
  return type.kind == PrimitiveKind::kDouble && std::isnan(Read<double>(value).value_or(0));
}

}  // namespace weir::iceberg
