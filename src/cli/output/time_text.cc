// SPDX-License-Identifier: Apache-2.0
#include "cli/output/time_text.h"

#include <fmt/format.h>

#include <ctime>

namespace weir::cli {

std::string TimeText(int64_t millis) {
  const int64_t fraction = ((millis % 1000) + 1000) % 1000;
  const std::time_t seconds = static_cast<std::time_t>((millis - fraction) / 1000);
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return std::to_string(millis);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}000", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     fraction);
}

}  // namespace weir::cli
