// SPDX-License-Identifier: Apache-2.0
//
// Places of rows on a space-filling curve: rows that are near each other in several columns get
// keys that are near each other, so that files cut along the curve have narrow bounds in each
// column.
#pragma once

#include <cstdint>
#include <span>

namespace duckdb {
class ExtensionLoader;
}

namespace weir::engine {

/// How many bits of each of `columns` columns go into a key.
int CurveBits(size_t columns);

/// The place on the Z-order curve of a point with CurveBits bits in each coordinate.
uint64_t ZOrderKey(std::span<const uint32_t> point, int bits);

/// The same on the Hilbert curve, whose neighbours on the curve are neighbours in space. `point` is
/// used as scratch.
uint64_t HilbertKey(std::span<uint32_t> point, int bits);

/// Registers `weir_curve_key(curve, bounds, key [, bounds, key ...])`: `curve` is 'zorder' or
/// 'hilbert'; a key is what create_sort_key gives for the column's value, `bounds` (constant) an
/// ascending list of such keys by which values become numbers.
void RegisterCurveKey(duckdb::ExtensionLoader& loader);

}  // namespace weir::engine
