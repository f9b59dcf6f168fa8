// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weir::delta {

/// Z85 (ZeroMQ RFC 32): four bytes as five printable characters. Bytes whose number does not divide
/// by four are filled up with zeros; whoever decodes must know the length.
std::string EncodeZ85(std::string_view bytes);

/// nullopt for a length that does not divide by five, a foreign character, or a group above 2^32-1.
std::optional<std::string> DecodeZ85(std::string_view text);

}  // namespace weir::delta
