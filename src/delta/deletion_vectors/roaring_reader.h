// SPDX-License-Identifier: Apache-2.0
//
// A reader of serialised Roaring bitmaps that trusts no byte: the library's own one checks lengths but not
// that containers hold what they promise.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/result.h"

namespace weir::delta {

/// Little endian int32 at the start of a vector's data.
inline constexpr uint32_t kPortableMagic = 1681511377;
inline constexpr uint32_t kNativeMagic = 1681511376;

/// Receives the members key * 2^32 + (first .. last), ascending, in no particular length.
using TakeRows = std::function<void(uint32_t key, uint32_t first, uint32_t last)>;

/// Reads a vector's data with its magic number, in the portable or the native form.
/// Errors: kCorruptLog DELTA_DELETION_VECTOR_MALFORMED.
Status ReadRoaring(std::string_view data, const TakeRows& take);

}  // namespace weir::delta
