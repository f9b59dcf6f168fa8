// SPDX-License-Identifier: Apache-2.0
//
// All vectors of a deletion vector file, for somebody who looks at the file itself.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/deletion_vectors/row_bitmap.h"

namespace weir::delta {

struct StoredVector {
  int64_t offset = 0;  ///< Where its size stands, as descriptors say it.
  int64_t size = 0;    ///< Of its data.
  bool checksum_matches = false;
  Result<RowBitmap> rows;  ///< Errors: as RowBitmap::Deserialize.
};

/// Reads the file's whole content (protocol section "Deletion Vector File Storage Format"). Errors:
/// kCorruptLog DELTA_DELETION_VECTOR_MALFORMED when the format version is not 1 or a vector goes
/// beyond the end. Any input is safe.
Result<std::vector<StoredVector>> ReadVectorFile(std::string_view content);

}  // namespace weir::delta
