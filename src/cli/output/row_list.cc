// SPDX-License-Identifier: Apache-2.0
#include "cli/output/row_list.h"

#include "base/json.h"

namespace weir::cli {

Result<bool> RowList::NextBatch() {
  const bool first = !given_;
  given_ = true;
  return first && !rows_.empty();
}

bool RowList::IsNull(size_t column, size_t row) const {
  return std::holds_alternative<std::monostate>(rows_[row][column]);
}

std::string RowList::Text(size_t column, size_t row) const {
  const Cell& cell = rows_[row][column];
  if (const auto* number = std::get_if<int64_t>(&cell)) return std::to_string(*number);
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? std::string() : *text;
}

void RowList::AppendJson(size_t column, size_t row, std::string& out) const {
  const Cell& cell = rows_[row][column];
  if (std::holds_alternative<std::monostate>(cell)) {
    out += "null";
  } else if (std::holds_alternative<int64_t>(cell)) {
    out += Text(column, row);
  } else {
    AppendJsonString(out, std::get<std::string>(cell));
  }
}

int64_t RowList::Int64(size_t column, size_t row) const {
  const auto* number = std::get_if<int64_t>(&rows_[row][column]);
  return number == nullptr ? 0 : *number;
}

}  // namespace weir::cli
