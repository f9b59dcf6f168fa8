// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace weir::storage {

/// Milliseconds since the epoch of "2026-01-31T23:59:59.123Z" (the fraction may be missing); 0 for
/// anything else.
int64_t ParseIsoTime(const std::string& text);

/// The same of an HTTP date, "Sat, 31 Jan 2026 23:59:59 GMT".
int64_t ParseHttpTime(const std::string& text);

/// "Sat, 31 Jan 2026 23:59:59 GMT".
std::string HttpTime(int64_t time_ms);

}  // namespace weir::storage
