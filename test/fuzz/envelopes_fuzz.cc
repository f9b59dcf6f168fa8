// SPDX-License-Identifier: Apache-2.0
//
// Goal: no columns that event files were inferred to have harm those who take their types apart.
// Method: the input, cut at line ends, is the names and types of columns in turn; a type is written
// so that it reads the same again, and envelopes flatten to columns whose types are understood.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/flows/sql_type.h"
#include "pipeline/sources/debezium.h"

namespace {

using namespace weir::pipeline;

void Check(bool holds) {
  if (!holds) std::abort();
}

std::string_view TakeLine(std::string_view& input) {
  const size_t end = std::min(input.find('\n'), input.size());
  const std::string_view line = input.substr(0, end);
  input.remove_prefix(std::min(end + 1, input.size()));
  return line;
}

void CheckType(const std::string& text) {
  auto type = ParseType(text);
  if (!type) return Check(type.error().kind == weir::ErrorKind::kInvalidArgument);
  auto again = ParseType(type->ToString());
  Check(again && *again == *type);
  const SqlType storable = StorableType(*type);
  (void)SparkType(storable);
  (void)OrderKey("x", storable);
  Check(WidensTo(*type, *type) || !IsOrderable(*type));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  std::vector<Column> columns;
  while (!input.empty()) {
    std::string name(TakeLine(input));
    std::string type(TakeLine(input));
    CheckType(type);
    columns.push_back({std::move(name), std::move(type)});
  }
  auto flat = FlattenEnvelope(columns);
  if (!flat) Check(flat.error().kind == weir::ErrorKind::kInvalidArgument);
  return 0;
}
