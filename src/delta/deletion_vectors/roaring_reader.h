// SPDX-License-Identifier: Apache-2.0
//
// Checks serialised Roaring bitmaps byte for byte before the library reads them: the library's own
// check looks at lengths, not at whether containers hold what they promise.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"

namespace weir::delta {

/// Little endian int32 at the start of a vector's data.
inline constexpr uint32_t kPortableMagic = 1681511377;
inline constexpr uint32_t kNativeMagic = 1681511376;

/// Receives one checked 32-bit bitmap in the portable form, with the upper half of its members.
using TakeBitmap = std::function<void(uint32_t key, std::string_view bitmap)>;

/// Takes a vector's data with its magic number, in the portable or the native form, apart.
/// Errors: kCorruptLog DELTA_DELETION_VECTOR_MALFORMED; bitmaps before the fault were taken.
Status ReadRoaring(std::string_view data, const TakeBitmap& take);

}  // namespace weir::delta
