// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weir {

/// 16 bytes in network order, as RFC 4122 lays them out.
struct Uuid {
  std::array<uint8_t, 16> bytes{};

  /// A random (version 4) id from the system's entropy. Thread-safe.
  static Uuid Random();

  /// Parses the 36-character form, case-insensitive; nullopt for anything else.
  static std::optional<Uuid> Parse(std::string_view text);

  /// The 36-character lower-case form.
  std::string ToString() const;

  bool operator==(const Uuid&) const = default;
};

}  // namespace weir
