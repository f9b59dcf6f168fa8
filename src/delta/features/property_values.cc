// SPDX-License-Identifier: Apache-2.0
#include "delta/features/property_values.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace weir::delta {
namespace {

using Microseconds = int64_t;

struct TimeUnit {
  std::string_view name;  ///< Singular; the plural takes an s.
  Microseconds length;
};

constexpr TimeUnit kTimeUnits[] = {
    {"week", int64_t{7} * 24 * 3600 * 1'000'000},
    {"day", int64_t{24} * 3600 * 1'000'000},
    {"hour", int64_t{3600} * 1'000'000},
    {"minute", int64_t{60} * 1'000'000},
    {"second", 1'000'000},
    {"millisecond", 1'000},
    {"microsecond", 1},
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsPlainNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_';
}

std::string_view TakeWord(std::string_view& text) {
  text = Trim(text);
  size_t end = text.find_first_of(" \t\r\n");
  std::string_view word = text.substr(0, end);
  text.remove_prefix(word.size());
  return word;
}

const TimeUnit* FindUnit(std::string_view name) {
  for (const auto& unit : kTimeUnits) {
    if (name == unit.name) return &unit;
    if (EndsWith(name, "s") && name.substr(0, name.size() - 1) == unit.name) return &unit;
  }
  return nullptr;
}

/// `number` of `unit`, checked. Only seconds have fractions, to the microsecond.
std::optional<Microseconds> Amount(std::string_view number, const TimeUnit& unit) {
  size_t point = number.find('.');
  auto whole = ParseIntegerProperty(number.substr(0, point));
  Microseconds amount = 0;
  if (!whole || __builtin_mul_overflow(*whole, unit.length, &amount)) return std::nullopt;
  if (point == std::string_view::npos) return amount;
  std::string digits(number.substr(point + 1));
  bool is_fraction = unit.name == "second" && !digits.empty() && digits.size() <= 9 &&
                     std::all_of(digits.begin(), digits.end(), IsDigit);
  if (!is_fraction) return std::nullopt;
  digits.resize(6, '0');
  Microseconds fraction = *ParseIntegerProperty(digits);
  if (__builtin_add_overflow(amount, number.front() == '-' ? -fraction : fraction, &amount)) {
    return std::nullopt;
  }
  return amount;
}

/// One part of a column's name, taken off the front of `text`.
std::optional<std::string> TakeNamePart(std::string_view& text) {
  std::string part;
  if (StartsWith(text, "`")) {
    text.remove_prefix(1);
    while (true) {
      size_t tick = text.find('`');
      if (tick == std::string_view::npos) return std::nullopt;
      part += text.substr(0, tick);
      text.remove_prefix(tick + 1);
      if (!StartsWith(text, "`")) break;
      part += '`';
      text.remove_prefix(1);
    }
  } else {
    size_t length = 0;
    while (length < text.size() && IsPlainNameCharacter(text[length])) ++length;
    part = text.substr(0, length);
    text.remove_prefix(length);
  }
  if (part.empty()) return std::nullopt;
  return part;
}

}  // namespace

std::optional<bool> ParseBooleanProperty(std::string_view text) {
  if (EqualsIgnoreCase(text, "true")) return true;
  if (EqualsIgnoreCase(text, "false")) return false;
  return std::nullopt;
}

std::optional<int64_t> ParseIntegerProperty(std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && IsDigit(text[1])) text.remove_prefix(1);
  return ParseInt64(text);
}

std::optional<std::chrono::milliseconds> ParseIntervalProperty(std::string_view text) {
  std::string lower = ToLowerAscii(Trim(text));
  std::string_view rest = lower;
  if (StartsWith(rest, "interval ")) rest.remove_prefix(std::string_view("interval ").size());
  Microseconds total = 0;
  bool is_empty = true;
  while (!Trim(rest).empty()) {
    std::string_view number = TakeWord(rest);
    const TimeUnit* unit = FindUnit(TakeWord(rest));
    if (unit == nullptr) return std::nullopt;
    auto amount = Amount(number, *unit);
    if (!amount || __builtin_add_overflow(total, *amount, &total)) return std::nullopt;
    is_empty = false;
  }
  if (is_empty || total < 0) return std::nullopt;
  return std::chrono::milliseconds(total / 1000);
}

std::optional<int64_t> ParseByteSizeProperty(std::string_view text) {
  std::string lower = ToLowerAscii(Trim(text));
  size_t digits = 0;
  while (digits < lower.size() && IsDigit(lower[digits])) ++digits;
  auto number = ParseIntegerProperty(std::string_view(lower).substr(0, digits));
  std::string_view unit = Trim(std::string_view(lower).substr(digits));
  if (EndsWith(unit, "b")) unit.remove_suffix(1);
  constexpr std::string_view kPrefixes = "kmgtp";
  int shift = 0;
  if (!unit.empty()) {
    size_t index = kPrefixes.find(unit);
    if (unit.size() != 1 || index == std::string_view::npos) return std::nullopt;
    shift = 10 * static_cast<int>(index + 1);
  }
  if (!number || *number > (std::numeric_limits<int64_t>::max() >> shift)) return std::nullopt;
  return *number << shift;
}

std::optional<std::vector<std::vector<std::string>>> ParseColumnListProperty(
    std::string_view text) {
  std::vector<std::vector<std::string>> columns;
  text = Trim(text);
  while (!text.empty()) {
    auto& column = columns.emplace_back();
    while (true) {
      auto part = TakeNamePart(text);
      if (!part) return std::nullopt;
      column.push_back(std::move(*part));
      if (!StartsWith(text, ".")) break;
      text.remove_prefix(1);
    }
    text = Trim(text);
    if (text.empty()) break;
    if (!StartsWith(text, ",")) return std::nullopt;
    text = Trim(text.substr(1));
    if (text.empty()) return std::nullopt;
  }
  return columns;
}

std::string FormatColumnListProperty(const std::vector<std::vector<std::string>>& columns) {
  std::string out;
  for (const auto& column : columns) {
    if (!out.empty()) out += ',';
    for (const auto& part : column) {
      if (&part != &column.front()) out += '.';
      bool is_plain = std::all_of(part.begin(), part.end(), IsPlainNameCharacter);
      if (is_plain) {
        out += part;
        continue;
      }
      out += '`';
      for (char c : part) out += c == '`' ? std::string("``") : std::string(1, c);
      out += '`';
    }
  }
  return out;
}

}  // namespace weir::delta
