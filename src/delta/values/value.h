// SPDX-License-Identifier: Apache-2.0
//
// Constants: bounds of a column in a file, partition values, the literals of a predicate. One type
// for all of them, with the text forms that the log knows.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "delta/schema/types.h"
#include "delta/values/decimal.h"

namespace weir::delta {

/// A constant of one of the primitive types, or NULL. The representation by type:
///   boolean                       bool
///   byte, short, integer, long    int64_t
///   date                          int64_t, days since 1970-01-01
///   timestamp, timestamp_ntz      int64_t, microseconds since 1970-01-01 00:00:00 (UTC for
///   timestamp) float, double                 double decimal                       Decimal string,
///   binary                std::string
/// A value type; thread-compatible.
class Value {
 public:
  Value() = default;  ///< NULL
  explicit Value(bool value) : data_(value) {}
  explicit Value(int64_t value) : data_(value) {}
  explicit Value(double value) : data_(value) {}
  explicit Value(Decimal value) : data_(value) {}
  explicit Value(std::string value) : data_(std::move(value)) {}
  explicit Value(const char* value) : data_(std::string(value)) {}

  bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  const bool* if_bool() const { return std::get_if<bool>(&data_); }
  const int64_t* if_int() const { return std::get_if<int64_t>(&data_); }
  const double* if_double() const { return std::get_if<double>(&data_); }
  const Decimal* if_decimal() const { return std::get_if<Decimal>(&data_); }
  const std::string* if_string() const { return std::get_if<std::string>(&data_); }

 private:
  std::variant<std::monostate, bool, int64_t, double, Decimal, std::string> data_;
};

/// SQL order of two values: NaN is above everything and equal to itself, -0.0 equals 0.0, strings
/// and binaries by bytes, an integer compares with a decimal exactly. Unordered when either is NULL
/// or their representations do not compare (nothing may then be concluded).
std::partial_ordering Compare(const Value& a, const Value& b);

/// Parses the text of a value, tolerant to every form that is found in logs, in DuckDB's and in
/// Spark's output: numbers, "NaN" and "Infinity" in any case, dates `2024-01-31`, timestamps with
/// 'T' or blank, any number of fraction digits (cut to microseconds towards the past), 'Z' or an
/// offset up to seconds; a timestamp without a zone is read as UTC, a zone on a timestamp_ntz is
/// refused. A decimal is brought to the type's scale. nullopt: the text is none of this type.
/// Nested types always give nullopt.
std::optional<Value> ParseValue(const DataType& type, std::string_view text);

/// Java's Double.toString / Float.toString: "1.0", "1.0E10", "NaN", "-Infinity".
std::string FormatDouble(double value);
std::string FormatFloat(float value);

/// `2024-01-31`; years outside 0..9999 with a sign, as Java writes them.
std::string FormatDate(int64_t days);

/// The place of a timestamp text's parts.
struct TimestampFormat {
  char separator = ' ';  ///< Between date and time: ' ' or 'T'.
  int fraction_digits =
      -1;  ///< 3 or 6, cut towards the past; -1: up to six without trailing zeros.
  std::string_view suffix = {};  ///< "Z" or nothing.
};
std::string FormatTimestamp(int64_t micros, const TimestampFormat& format);

}  // namespace weir::delta
