// SPDX-License-Identifier: Apache-2.0
#include "delta/values/value.h"

#include <cmath>

namespace weir::delta {
namespace {

std::partial_ordering CompareDoubles(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) {
    return static_cast<int>(std::isnan(a)) <=> static_cast<int>(std::isnan(b));
  }
  return a <=> b;
}

std::optional<Decimal> AsDecimal(const Value& value) {
  if (const Decimal* decimal = value.if_decimal()) return *decimal;
  if (const int64_t* integer = value.if_int()) return Decimal{*integer, 0};
  return std::nullopt;
}

}  // namespace

std::partial_ordering Compare(const Value& a, const Value& b) {
  if (a.if_int() && b.if_int()) return *a.if_int() <=> *b.if_int();
  if (a.if_string() && b.if_string()) return a.if_string()->compare(*b.if_string()) <=> 0;
  if (a.if_double() && b.if_double()) return CompareDoubles(*a.if_double(), *b.if_double());
  if (a.if_bool() && b.if_bool()) {
    return static_cast<int>(*a.if_bool()) <=> static_cast<int>(*b.if_bool());
  }
  auto left = AsDecimal(a);
  auto right = AsDecimal(b);
  if (left && right) return Compare(*left, *right);
  return std::partial_ordering::unordered;
}

}  // namespace weir::delta
