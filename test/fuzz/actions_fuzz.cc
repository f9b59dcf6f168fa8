// SPDX-License-Identifier: Apache-2.0
//
// Goal: no commit file, however broken, harms the reader; and what was read is written so that it
// reads the same again. Method: parse the input; write each action and parse that; both must be
// equal.
#include <cstdint>
#include <cstdlib>

#include "delta/actions/actions.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weir::delta;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  auto actions = ParseActions("fuzz.json", text);
  if (!actions) {
    if (actions.error().name != "DELTA_LOG_FILE_MALFORMED") std::abort();
    return 0;
  }
  std::string written;
  for (const auto& action : *actions) {
    AppendAction(action, written);
    written += '\n';
  }
  auto again = ParseActions("again.json", written);
  if (!again || *again != *actions) std::abort();
  return 0;
}
