// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir {

/// Decodes %XX once. Errors: kInvalidArgument WEIR_BAD_PERCENT_ENCODING for a '%' without two hex
/// digits.
Result<std::string> PercentDecode(std::string_view text);

/// Encodes a relative path as java.net.URI writes it into the log: '%', space, controls, '"', '#',
/// '<',
/// '>', '?', '[', ']', '^', '`', '{', '|', '}' and backslash become %XX; '/' , ':' and non-ASCII
/// letters stay bare (a file `p=a%2Fb` becomes `p=a%252Fb`, `é` stays `é`).
std::string UriEncodePath(std::string_view path);

/// ASCII lower case; other bytes unchanged.
std::string ToLowerAscii(std::string_view text);

/// ASCII case-insensitive equality, the way SQL names compare.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);

bool StartsWith(std::string_view text, std::string_view prefix);
bool EndsWith(std::string_view text, std::string_view suffix);

/// `text` without blanks, tabs and line ends on both sides.
std::string_view Trim(std::string_view text);

/// The decimal number that the whole of `text` is; nullopt for anything else, a `+` in front and a
/// number beyond 64 bits too.
std::optional<int64_t> ParseInt64(std::string_view text);

/// `name` in double quotes, inner quotes doubled: a SQL identifier.
std::string QuoteIdentifier(std::string_view name);

/// `text` in single quotes, inner quotes doubled: a SQL string.
std::string QuoteLiteral(std::string_view text);

}  // namespace weir
