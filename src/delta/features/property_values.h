// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::delta {

// The values that table properties are written in; nullopt is for what is none of them.

/// "true" or "false", in any case.
std::optional<bool> ParseBooleanProperty(std::string_view text);

/// Decimal digits with an optional sign.
std::optional<int64_t> ParseIntegerProperty(std::string_view text);

/// A length of time: "interval 30 days", "2 weeks", "1 day 12 hours", "interval 1.5 seconds", in
/// any case. Months and years have no fixed length and are refused, so is a negative sum.
std::optional<std::chrono::milliseconds> ParseIntervalProperty(std::string_view text);

/// A number of bytes: "104857600", "128mb", "1g", in powers of 1024.
std::optional<int64_t> ParseByteSizeProperty(std::string_view text);

/// Column names separated by commas, their parts by dots; a part with other than letters, digits
/// and underscores stands in backticks, which are doubled inside: "a, s.x, `b.c`.`d``e`".
std::optional<std::vector<std::vector<std::string>>> ParseColumnListProperty(std::string_view text);

/// The inverse of ParseColumnListProperty, with backticks only where needed.
std::string FormatColumnListProperty(const std::vector<std::vector<std::string>>& columns);

}  // namespace weir::delta
