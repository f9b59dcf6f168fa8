// SPDX-License-Identifier: Apache-2.0
//
// Exact decimals up to 38 digits. A double never comes near them: a bound that was bent by one
// would hide rows.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace weir::delta {

__extension__ using Int128 = __int128;

/// unscaled / 10^scale, 0 <= scale <= 38. 1.10 (scale 2) and 1.1 (scale 1) compare equal.
struct Decimal {
  Int128 unscaled = 0;
  int scale = 0;

  /// Parses "-12.30", "1E-18", "5"; the scale is that of the text. nullopt for text that is no
  /// number or does not fit 38 digits and scale 38.
  static std::optional<Decimal> Parse(std::string_view text);

  /// The same number at another scale; nullopt when digits would be lost or it would not fit.
  std::optional<Decimal> Rescaled(int new_scale) const;

  /// Digits with exactly `scale` places: "1.10".
  std::string ToPlainString() const;
  /// As Java's BigDecimal prints: plain, but "1E-18" when the exponent is below -6.
  std::string ToJavaString() const;
};

/// Exact comparison over different scales.
std::strong_ordering Compare(const Decimal& a, const Decimal& b);

}  // namespace weir::delta
