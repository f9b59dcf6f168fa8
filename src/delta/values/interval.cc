// SPDX-License-Identifier: Apache-2.0
#include "delta/values/interval.h"

#include <charconv>
#include <vector>

#include "base/text.h"

namespace weir::delta {
namespace {

constexpr int64_t kMicrosPerMilli = 1000;

std::optional<int64_t> UnitMicros(std::string_view unit) {
  static constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"microsecond", 1},
      {"millisecond", kMicrosPerMilli},
      {"second", 1000 * kMicrosPerMilli},
      {"minute", 60'000 * kMicrosPerMilli},
      {"hour", 3'600'000 * kMicrosPerMilli},
      {"day", kMillisPerDay * kMicrosPerMilli},
      {"week", 7 * kMillisPerDay * kMicrosPerMilli},
  };
  if (EndsWith(unit, "s")) unit.remove_suffix(1);
  for (const auto& [name, micros] : kUnits) {
    if (unit == name) return micros;
  }
  return std::nullopt;
}

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  while (!(text = Trim(text)).empty()) {
    size_t end = text.find_first_of(" \t\r\n");
    words.push_back(ToLowerAscii(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  }
  return words;
}

}  // namespace

std::optional<int64_t> ParseIntervalMillis(std::string_view text) {
  std::vector<std::string> words = Words(text);
  if (!words.empty() && words[0] == "interval") words.erase(words.begin());
  if (words.empty() || words.size() % 2 != 0) return std::nullopt;
  int64_t total = 0;
  for (size_t i = 0; i < words.size(); i += 2) {
    const std::string& number = words[i];
    int64_t count = 0;
    auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), count);
    auto unit = UnitMicros(words[i + 1]);
    if (code != std::errc() || end != number.data() + number.size() || !unit) return std::nullopt;
    int64_t part = 0;
    if (__builtin_mul_overflow(count, *unit, &part) ||
        __builtin_add_overflow(total, part, &total)) {
      return std::nullopt;
    }
  }
  return total / kMicrosPerMilli;
}

int64_t IntervalProperty(const Metadata& metadata, const std::string& key, int64_t default_ms) {
  auto it = metadata.configuration.find(key);
  if (it == metadata.configuration.end()) return default_ms;
  return ParseIntervalMillis(it->second).value_or(default_ms);
}

}  // namespace weir::delta
