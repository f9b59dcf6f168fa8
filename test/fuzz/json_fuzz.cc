// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/json.h"

// Any bytes: they are refused, or read into a value that prints.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)weir::JsonValue::Parse({reinterpret_cast<const char*>(data), size});
  return 0;
}
