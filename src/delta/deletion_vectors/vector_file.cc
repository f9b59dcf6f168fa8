// SPDX-License-Identifier: Apache-2.0
#include "delta/deletion_vectors/vector_file.h"

#include <string>

#include "delta/deletion_vectors/vector_bytes.h"

namespace weir::delta {
namespace {

constexpr char kFormatVersion = 1;
constexpr size_t kNumberSize = 4;

}  // namespace

Result<std::vector<StoredVector>> ReadVectorFile(std::string_view content) {
  if (!content.starts_with(kFormatVersion)) {
    return Fail(CorruptLog("DELTA_DELETION_VECTOR_MALFORMED",
                           "the file does not begin with the format version 1"));
  }
  std::vector<StoredVector> vectors;
  for (size_t offset = 1; offset < content.size();) {
    const std::string_view rest = content.substr(offset);
    const size_t size = rest.size() < kNumberSize ? rest.size() : BigEndian(rest);
    if (rest.size() < 2 * kNumberSize || size > rest.size() - 2 * kNumberSize) {
      return Fail(CorruptLog("DELTA_DELETION_VECTOR_MALFORMED",
                             "the vector at " + std::to_string(offset) + " goes beyond the end, " +
                                 std::to_string(content.size())));
    }
    const std::string_view data = rest.substr(kNumberSize, size);
    const bool matches = VectorChecksum(data) == BigEndian(rest.substr(kNumberSize + size));
    vectors.push_back({static_cast<int64_t>(offset), static_cast<int64_t>(size), matches,
                       RowBitmap::Deserialize(data)});
    offset += size + 2 * kNumberSize;
  }
  return vectors;
}

}  // namespace weir::delta
