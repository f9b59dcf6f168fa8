// SPDX-License-Identifier: Apache-2.0
#include "delta/values/decimal.h"

#include <algorithm>

namespace weir::delta {
namespace {

constexpr int kMaxDigits = 38;

// 10^38 - 1 fits an Int128.
Int128 PowerOfTen(int exponent) {
  Int128 power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

Int128 MaxUnscaled() { return PowerOfTen(kMaxDigits) - 1; }

std::string DigitsOf(Int128 magnitude) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(magnitude % 10));
    magnitude /= 10;
  } while (magnitude != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

// Multiplies by 10^exponent; false when it leaves 38 digits.
bool ScaleUp(Int128& value, int exponent) {
  if (value == 0) return true;
  for (int i = 0; i < exponent; ++i) {
    if (value > MaxUnscaled() / 10 || value < -(MaxUnscaled() / 10)) return false;
    value *= 10;
  }
  return true;
}

// Divides by 10^exponent; false when a digit other than zero would be lost.
bool ScaleDown(Int128& value, int exponent) {
  if (value == 0) return true;
  for (int i = 0; i < exponent; ++i) {
    if (value % 10 != 0) return false;
    value /= 10;
  }
  return true;
}

std::optional<int> ParseExponent(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || text.size() > 4) return std::nullopt;
  int exponent = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    exponent = exponent * 10 + (c - '0');
  }
  return negative ? -exponent : exponent;
}

std::strong_ordering Order(Int128 a, Int128 b) {
  if (a < b) return std::strong_ordering::less;
  return a > b ? std::strong_ordering::greater : std::strong_ordering::equal;
}

}  // namespace

std::optional<Decimal> Decimal::Parse(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  Int128 value = 0;
  int scale = 0;
  int exponent = 0;
  bool any_digit = false;
  bool in_fraction = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c >= '0' && c <= '9') {
      any_digit = true;
      if (value > MaxUnscaled() / 10) return std::nullopt;
      value = value * 10 + (c - '0');
      if (in_fraction) ++scale;
    } else if (c == '.' && !in_fraction) {
      in_fraction = true;
    } else if ((c == 'e' || c == 'E') && any_digit) {
      auto parsed = ParseExponent(text.substr(i + 1));
      if (!parsed) return std::nullopt;
      exponent = *parsed;
      break;
    } else {
      return std::nullopt;
    }
  }
  if (!any_digit) return std::nullopt;
  scale -= exponent;
  if (scale < 0) {
    if (!ScaleUp(value, -scale)) return std::nullopt;
    scale = 0;
  } else if (scale > kMaxDigits) {
    if (!ScaleDown(value, scale - kMaxDigits)) return std::nullopt;
    scale = kMaxDigits;
  }
  return Decimal{negative ? -value : value, scale};
}

std::optional<Decimal> Decimal::Rescaled(int new_scale) const {
  Int128 value = unscaled;
  bool fits =
      new_scale >= scale ? ScaleUp(value, new_scale - scale) : ScaleDown(value, scale - new_scale);
  if (!fits) return std::nullopt;
  return Decimal{value, new_scale};
}

std::string Decimal::ToPlainString() const {
  std::string digits = DigitsOf(unscaled < 0 ? -unscaled : unscaled);
  if (digits.size() <= static_cast<size_t>(scale)) {
    digits.insert(0, static_cast<size_t>(scale) + 1 - digits.size(), '0');
  }
  if (scale > 0) digits.insert(digits.size() - static_cast<size_t>(scale), 1, '.');
  return unscaled < 0 ? "-" + digits : digits;
}

std::string Decimal::ToJavaString() const {
  std::string digits = DigitsOf(unscaled < 0 ? -unscaled : unscaled);
  int adjusted = static_cast<int>(digits.size()) - 1 - scale;
  if (adjusted >= -6) return ToPlainString();
  if (digits.size() > 1) digits.insert(1, 1, '.');
  return (unscaled < 0 ? "-" : "") + digits + "E" + std::to_string(adjusted);
}

std::strong_ordering Compare(const Decimal& a, const Decimal& b) {
  if (a.scale == b.scale) return Order(a.unscaled, b.unscaled);
  if (a.scale > b.scale) return 0 <=> Compare(b, a);
  // Bring a to b's larger scale; if that leaves 38 digits then |a| is greater than any |b|.
  Int128 raised = a.unscaled;
  if (ScaleUp(raised, b.scale - a.scale)) return Order(raised, b.unscaled);
  return a.unscaled > 0 ? std::strong_ordering::greater : std::strong_ordering::less;
}

}  // namespace weir::delta
