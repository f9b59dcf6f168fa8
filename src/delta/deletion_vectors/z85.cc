// SPDX-License-Identifier: Apache-2.0
#include "delta/deletion_vectors/z85.h"

#include <array>
#include <cstdint>
#include <limits>

namespace weir::delta {
namespace {

constexpr std::string_view kAlphabet =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
static_assert(kAlphabet.size() == 85);

constexpr std::array<int8_t, 256> MakeDigits() {
  std::array<int8_t, 256> digits{};
  digits.fill(-1);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<int8_t>(i);
  }
  return digits;
}

constexpr std::array<int8_t, 256> kDigits = MakeDigits();

}  // namespace

std::string EncodeZ85(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 3) / 4 * 5);
  for (size_t i = 0; i < bytes.size(); i += 4) {
    uint32_t group = 0;
    for (size_t k = 0; k < 4; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<uint8_t>(bytes[i + k]) : 0U);
    }
    for (uint32_t divisor = 85 * 85 * 85 * 85; divisor > 0; divisor /= 85) {
      out += kAlphabet[group / divisor % 85];
    }
  }
  return out;
}

std::optional<std::string> DecodeZ85(std::string_view text) {
  if (text.size() % 5 != 0) return std::nullopt;
  std::string out;
  out.reserve(text.size() / 5 * 4);
  for (size_t i = 0; i < text.size(); i += 5) {
    uint64_t group = 0;
    for (size_t k = 0; k < 5; ++k) {
      int8_t digit = kDigits[static_cast<unsigned char>(text[i + k])];
      if (digit < 0) return std::nullopt;
      group = group * 85 + static_cast<uint64_t>(digit);
    }
    if (group > std::numeric_limits<uint32_t>::max()) return std::nullopt;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(group >> shift & 0xFF);
  }
  return out;
}

}  // namespace weir::delta
