// SPDX-License-Identifier: Apache-2.0
#include "storage/times.h"

#include <curl/curl.h>

#include <ctime>

namespace weir::storage {

int64_t ParseIsoTime(const std::string& text) {
  std::tm parts{};
  const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr) return 0;
  int64_t millis = 0;
  if (*rest == '.') {
    int64_t unit = 100;
    for (++rest; *rest >= '0' && *rest <= '9'; ++rest, unit /= 10) millis += unit * (*rest - '0');
  }
  return static_cast<int64_t>(timegm(&parts)) * 1000 + millis;
}

int64_t ParseHttpTime(const std::string& text) {
  const time_t seconds = curl_getdate(text.c_str(), nullptr);
  return seconds < 0 ? 0 : static_cast<int64_t>(seconds) * 1000;
}

std::string HttpTime(int64_t time_ms) {
  const std::time_t seconds = time_ms / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

}  // namespace weir::storage
