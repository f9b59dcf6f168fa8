// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json.h"

// Any bytes are refused, or read into a value whose text reads back as the same value.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto value = weir::JsonValue::Parse({reinterpret_cast<const char*>(data), size});
  if (!value) return 0;
  std::string text = value->ToString();
  auto again = weir::JsonValue::Parse(text);
  if (!again || again->ToString() != text) std::abort();
  return 0;
}
