// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir {

/// a + b, or the nearest number where the sum does not fit: for sums over numbers from outside.
constexpr int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? INT64_MAX : INT64_MIN;
}

}  // namespace weir
