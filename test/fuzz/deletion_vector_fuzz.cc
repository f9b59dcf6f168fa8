// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "delta/deletion_vectors/deletion_vector.h"
#include "delta/deletion_vectors/z85.h"
#include "storage/memory_store.h"

namespace {

using weir::delta::DeletionVectorDescriptor;
using weir::delta::RowBitmap;

// What was read is written and read back as the same set.
void CheckRoundTrip(const RowBitmap& rows) {
  auto again = RowBitmap::Deserialize(rows.Serialize());
  if (!again || !(*again == rows) || again->cardinality() != rows.cardinality()) std::abort();
}

}  // namespace

// Any bytes, as the data of a vector, as its file and as its text in the log, are refused or read
// safely.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (auto rows = RowBitmap::Deserialize(bytes)) CheckRoundTrip(*rows);

  weir::storage::MemoryStore store;
  DeletionVectorDescriptor descriptor;
  descriptor.storage_type = 'p';
  descriptor.path_or_inline_dv = "/t/v.bin";
  descriptor.offset = 1;
  descriptor.size_in_bytes = static_cast<int32_t>(size > 9 ? size - 9 : 0);
  if (store.Put("/t/v.bin", bytes)) (void)weir::delta::ReadDeletionVector(store, "/t", descriptor);

  for (char type : {'i', 'u', 'p'}) {
    descriptor.storage_type = type;
    descriptor.path_or_inline_dv = std::string(bytes);
    (void)weir::delta::ReadDeletionVector(store, "/t", descriptor);
  }
  if (auto decoded = weir::delta::DecodeZ85(bytes)) {
    if (weir::delta::EncodeZ85(*decoded) != bytes) std::abort();
  }
  return 0;
}
