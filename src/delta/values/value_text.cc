// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "delta/values/value.h"

namespace weir::delta {
namespace {

constexpr int64_t kMicrosPerSecond = 1'000'000;
constexpr int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;
// Far beyond what either engine can hold, and small enough that nothing below overflows.
constexpr int64_t kMaxYear = 290'000;

int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

// Days since the epoch of a day in the proleptic Gregorian calendar, counted in 400-year eras that
// begin in March (so that the leap day is the last of its year).
int64_t DaysFromDate(int64_t year, int month, int day) {
  year -= month <= 2;
  int64_t era = FloorDiv(year, 400);
  int64_t year_of_era = year - era * 400;
  int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

struct Date {
  int64_t year;
  int month;
  int day;
};

Date DateFromDays(int64_t days) {
  days += 719'468;
  int64_t era = FloorDiv(days, 146'097);
  int64_t day_of_era = days - era * 146'097;
  int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t shifted_month = (5 * day_of_year + 2) / 153;
  int day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  int month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  return {year_of_era + era * 400 + (month <= 2), month, day};
}

bool IsLeap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int DaysInMonth(int64_t year, int month) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && IsLeap(year) ? 29 : kDays[month - 1];
}

// A cursor over a date or timestamp text.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool done() const { return at_ == text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }

  bool Take(char c) {
    if (peek() != c || done()) return false;
    ++at_;
    return true;
  }

  // Between `least` and `most` digits.
  std::optional<int64_t> Number(int least, int most) {
    int64_t value = 0;
    int count = 0;
    while (count < most && peek() >= '0' && peek() <= '9') {
      value = value * 10 + (text_[at_++] - '0');
      ++count;
    }
    if (count < least) return std::nullopt;
    return value;
  }

  // The digits behind a point as microseconds; further digits are cut.
  std::optional<int64_t> Fraction() {
    int64_t micros = 0;
    int count = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at_, ++count) {
      if (count < 6) micros = micros * 10 + (text_[at_] - '0');
    }
    if (count == 0) return std::nullopt;
    for (int i = count; i < 6; ++i) micros *= 10;
    return micros;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

std::optional<int64_t> ParseDatePart(Cursor& in) {
  bool negative = in.Take('-');
  if (!negative) in.Take('+');
  auto year = in.Number(1, 6);
  if (!year || !in.Take('-')) return std::nullopt;
  auto month = in.Number(1, 2);
  if (!month || !in.Take('-')) return std::nullopt;
  auto day = in.Number(1, 2);
  if (!day || *year > kMaxYear || *month < 1 || *month > 12) return std::nullopt;
  int64_t signed_year = negative ? -*year : *year;
  int month_number = static_cast<int>(*month);
  if (*day < 1 || *day > DaysInMonth(signed_year, month_number)) return std::nullopt;
  return DaysFromDate(signed_year, month_number, static_cast<int>(*day));
}

std::optional<int64_t> ParseTimePart(Cursor& in) {
  auto hour = in.Number(1, 2);
  if (!hour || !in.Take(':')) return std::nullopt;
  auto minute = in.Number(1, 2);
  if (!minute || *hour > 23 || *minute > 59) return std::nullopt;
  int64_t second = 0;
  int64_t fraction = 0;
  if (in.Take(':')) {
    auto parsed = in.Number(1, 2);
    if (!parsed || *parsed > 59) return std::nullopt;
    second = *parsed;
    if (in.Take('.')) {
      auto micros = in.Fraction();
      if (!micros) return std::nullopt;
      fraction = *micros;
    }
  }
  return (*hour * 3600 + *minute * 60 + second) * kMicrosPerSecond + fraction;
}

// "Z", "+08", "-08:00", "-07:52:58" as seconds east of UTC.
std::optional<int64_t> ParseOffset(Cursor& in) {
  if (in.Take('Z')) return 0;
  bool negative = in.peek() == '-';
  if (!in.Take('-') && !in.Take('+')) return std::nullopt;
  auto hour = in.Number(2, 2);
  int64_t minute = 0;
  int64_t second = 0;
  if (in.Take(':')) {
    auto parsed = in.Number(2, 2);
    if (!parsed) return std::nullopt;
    minute = *parsed;
    if (in.Take(':')) {
      parsed = in.Number(2, 2);
      if (!parsed) return std::nullopt;
      second = *parsed;
    }
  }
  if (!hour || *hour > 18 || minute > 59 || second > 59) return std::nullopt;
  int64_t seconds = *hour * 3600 + minute * 60 + second;
  return negative ? -seconds : seconds;
}

std::optional<Value> ParseDate(std::string_view text) {
  Cursor in(text);
  auto days = ParseDatePart(in);
  if (!days || !in.done()) return std::nullopt;
  return Value(*days);
}

std::optional<Value> ParseTimestamp(std::string_view text, bool with_zone) {
  Cursor in(text);
  auto days = ParseDatePart(in);
  if (!days) return std::nullopt;
  int64_t micros = *days * kMicrosPerDay;
  if (in.done()) return Value(micros);
  if (!in.Take(' ') && !in.Take('T')) return std::nullopt;
  auto time = ParseTimePart(in);
  if (!time) return std::nullopt;
  micros += *time;
  if (in.done()) return Value(micros);
  in.Take(' ');
  auto offset = with_zone ? ParseOffset(in) : std::nullopt;
  if (!offset || !in.done()) return std::nullopt;
  return Value(micros - *offset * kMicrosPerSecond);
}

std::optional<Value> ParseInteger(TypeKind kind, std::string_view text) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  int64_t value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  auto fits = [value]<typename T>(T) {
    return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max();
  };
  if (kind == TypeKind::kByte && !fits(int8_t{})) return std::nullopt;
  if (kind == TypeKind::kShort && !fits(int16_t{})) return std::nullopt;
  if (kind == TypeKind::kInteger && !fits(int32_t{})) return std::nullopt;
  return Value(value);
}

template <typename T>
std::optional<Value> ParseFloating(std::string_view text) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  std::string lower = ToLowerAscii(text);
  if (lower == "nan" || lower == "-nan") return Value(std::numeric_limits<double>::quiet_NaN());
  if (lower == "inf" || lower == "infinity" || lower == "+infinity") {
    return Value(static_cast<double>(kInfinity));
  }
  if (lower == "-inf" || lower == "-infinity") return Value(static_cast<double>(-kInfinity));
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  T value = 0;
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Value(static_cast<double>(value));
}

std::optional<Value> ParseDecimal(const DataType& type, std::string_view text) {
  auto decimal = Decimal::Parse(text);
  if (!decimal) return std::nullopt;
  auto rescaled = decimal->Rescaled(type.scale());
  if (!rescaled) return std::nullopt;
  return Value(*rescaled);
}

std::optional<Value> ParseBoolean(std::string_view text) {
  if (EqualsIgnoreCase(text, "true")) return Value(true);
  if (EqualsIgnoreCase(text, "false")) return Value(false);
  return std::nullopt;
}

// Java's form of a floating-point number, from its shortest digits "d.dddde[+-]xx".
template <typename T>
std::string FormatFloating(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  char buffer[64];
  auto format = std::abs(value) >= T(1e-3) && std::abs(value) < T(1e7)
                    ? std::chars_format::fixed
                    : std::chars_format::scientific;
  auto [end, code] = std::to_chars(buffer, buffer + sizeof(buffer), value, format);
  std::string text(buffer, end);
  if (format == std::chars_format::fixed) {
    return text.find('.') == std::string::npos ? text + ".0" : text;
  }
  size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  if (mantissa.find('.') == std::string::npos) mantissa += ".0";
  bool negative = text[e + 1] == '-';
  size_t digits = text.find_first_not_of('0', e + 2);
  return mantissa + "E" + (negative ? "-" : "") + text.substr(digits);
}

}  // namespace

std::optional<Value> ParseValue(const DataType& type, std::string_view text) {
  switch (type.kind()) {
    case TypeKind::kBoolean:
      return ParseBoolean(text);
    case TypeKind::kByte:
    case TypeKind::kShort:
    case TypeKind::kInteger:
    case TypeKind::kLong:
      return ParseInteger(type.kind(), text);
    case TypeKind::kFloat:
      return ParseFloating<float>(text);
    case TypeKind::kDouble:
      return ParseFloating<double>(text);
    case TypeKind::kDecimal:
      return ParseDecimal(type, text);
    case TypeKind::kString:
    case TypeKind::kBinary:
      return Value(std::string(text));
    case TypeKind::kDate:
      return ParseDate(text);
    case TypeKind::kTimestamp:
      return ParseTimestamp(text, true);
    case TypeKind::kTimestampNtz:
      return ParseTimestamp(text, false);
    default:
      return std::nullopt;
  }
}

std::string FormatDouble(double value) { return FormatFloating(value); }

std::string FormatFloat(float value) { return FormatFloating(value); }

std::string FormatDate(int64_t days) {
  Date date = DateFromDays(days);
  std::string_view sign = date.year < 0 ? "-" : date.year > 9999 ? "+" : "";
  int64_t year = date.year < 0 ? -date.year : date.year;
  return fmt::format("{}{:04}-{:02}-{:02}", sign, year, date.month, date.day);
}

std::string FormatTimestamp(int64_t micros, const TimestampFormat& format) {
  int64_t days = FloorDiv(micros, kMicrosPerDay);
  int64_t of_day = micros - days * kMicrosPerDay;
  int64_t seconds = of_day / kMicrosPerSecond;
  std::string fraction = fmt::format("{:06}", of_day % kMicrosPerSecond);
  if (format.fraction_digits >= 0) {
    fraction.resize(static_cast<size_t>(format.fraction_digits));
  } else {
    fraction.erase(fraction.find_last_not_of('0') + 1);
  }
  return fmt::format("{}{}{:02}:{:02}:{:02}{}{}{}", FormatDate(days), format.separator,
                     seconds / 3600, seconds / 60 % 60, seconds % 60, fraction.empty() ? "" : ".",
                     fraction, format.suffix);
}

}  // namespace weir::delta
