// SPDX-License-Identifier: Apache-2.0
//
// Goal: no schema string harms the reader; and a schema is written so that it reads the same again.
// Method: parse, write, parse and write again; types and texts must be equal.
#include <cstdint>
#include <cstdlib>

#include "delta/schema/types.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace weir;
  auto schema = delta::ParseSchema({reinterpret_cast<const char*>(data), size});
  if (!schema) {
    bool is_expected = schema.error().kind == ErrorKind::kCorruptLog ||
                       schema.error().kind == ErrorKind::kUnsupportedFeature;
    if (!is_expected) std::abort();
    return 0;
  }
  (void)(*schema)->ToSql();
  std::string written = (*schema)->ToJson();
  auto again = delta::ParseSchema(written);
  if (!again || !(*again)->Equals(**schema) || (*again)->ToJson() != written) std::abort();
  return 0;
}
