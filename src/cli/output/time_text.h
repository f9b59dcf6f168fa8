// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace weir::cli {

/// Milliseconds since the epoch as `2024-01-31 12:34:56.789000`, UTC.
std::string TimeText(int64_t millis);

}  // namespace weir::cli
