// SPDX-License-Identifier: Apache-2.0
#include "base/uuid.h"

#include <cctype>
#include <random>

namespace weir {
namespace {

bool IsDashPosition(size_t i) { return i == 8 || i == 13 || i == 18 || i == 23; }

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Uuid Uuid::Random() {
  thread_local std::random_device device;
  Uuid id;
  for (size_t i = 0; i < 16; i += 4) {
    uint32_t word = device();
    for (size_t k = 0; k < 4; ++k) id.bytes[i + k] = static_cast<uint8_t>(word >> (8 * k));
  }
  id.bytes[6] = static_cast<uint8_t>((id.bytes[6] & 0x0F) | 0x40);
  id.bytes[8] = static_cast<uint8_t>((id.bytes[8] & 0x3F) | 0x80);
  return id;
}

std::optional<Uuid> Uuid::Parse(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  Uuid id;
  size_t nibble = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsDashPosition(i)) {
      if (text[i] != '-') return std::nullopt;
      continue;
    }
    int digit = HexDigit(text[i]);
    if (digit < 0) return std::nullopt;
    auto& byte = id.bytes[nibble / 2];
    byte = static_cast<uint8_t>((byte << 4) | digit);
    ++nibble;
  }
  return id;
}

std::string Uuid::ToString() const {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  text.reserve(36);
  for (uint8_t byte : bytes) {
    if (IsDashPosition(text.size())) text += '-';
    text += kHex[byte >> 4];
    text += kHex[byte & 0x0F];
  }
  return text;
}

}  // namespace weir
