// SPDX-License-Identifier: Apache-2.0
//
// Goal: no `_last_checkpoint`, no .crc and no offset of a consumer harms the reader; what was
// understood is written so that it reads the same again. Method: the first byte of the input
// chooses what the rest is taken for.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json.h"
#include "delta/changes/offset_store.h"
#include "delta/checkpoint/last_checkpoint.h"
#include "delta/checksum/version_checksum.h"

namespace {

using namespace weir::delta;

void Check(bool holds) {
  if (!holds) std::abort();
}

void CheckHint(std::string_view text) {
  auto hint = ParseLastCheckpoint(text);
  if (!hint) return;
  auto again = ParseLastCheckpoint(SerializeLastCheckpoint(*hint));
  Check(again && again->version == hint->version && again->size == hint->size);
  Check(again->size_in_bytes == hint->size_in_bytes);
  Check(again->num_of_add_files == hint->num_of_add_files);
}

void CheckChecksum(std::string_view text) {
  auto checksum = ParseVersionChecksum(text);
  if (!checksum) Check(checksum.error().name == "DELTA_CHECKSUM_MALFORMED");
}

void CheckOffset(std::string_view text) {
  static const auto store = *weir::storage::OpenStore("memory://fuzz");
  static const auto offsets = *OffsetStore::Open("memory://fuzz/offsets");
  Check(store->Put("memory://fuzz/offsets/c.json", text).has_value());
  auto offset = offsets.Load("c");
  if (!offset) return Check(offset.error().name == "WEIR_OFFSET_MALFORMED");
  Check(offset->has_value() && (*offset)->next_version >= 0);
  Check(offsets.Save("c", **offset).has_value());
  auto again = offsets.Load("c");
  Check(again && *again == *offset);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      CheckHint(text);
      break;
    case 1:
      CheckChecksum(text);
      break;
    case 2:
      CheckOffset(text);
      break;
    default:
      if (auto document = weir::JsonValue::Parse(text)) (void)JsonChecksum(*document);
  }
  return 0;
}
