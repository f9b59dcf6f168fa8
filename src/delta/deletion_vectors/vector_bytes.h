// SPDX-License-Identifier: Apache-2.0
//
// Numbers and checksums in a deletion vector file.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string_view>

namespace weir::delta {

/// The first four bytes as a number. Requires that there are four.
inline uint32_t BigEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[i]);
  return value;
}

/// CRC-32, as it stands behind a vector's data.
inline uint32_t VectorChecksum(std::string_view data) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
}

}  // namespace weir::delta
