// SPDX-License-Identifier: Apache-2.0
#include "engine/write/identity_values.h"

#include "engine/duckdb_errors.h"

namespace weir::engine {

IdentityValues::IdentityValues(const TableState& state, const std::string& table) : table_(table) {
  const auto& fields = state.schema()->fields();
  for (size_t i = 0; i < fields.size(); i++) {
    if (!delta::IsIdentity(fields[i])) continue;
    auto& column = columns_[i];
    column.field = fields[i];
    column.identity = OrThrow(delta::IdentityOf(fields[i]));
  }
}

void IdentityValues::Fill(size_t place, duckdb::DataChunk& rows) {
  const auto found = columns_.find(place);
  const size_t count = rows.size();
  if (found == columns_.end() || count == 0) return;
  auto& [field, identity, given] = found->second;
  const int64_t before = given.fetch_add(static_cast<int64_t>(count));
  const auto first = identity.Last(before + 1);
  if (!identity.Last(before + static_cast<int64_t>(count))) {
    Throw(InvalidArgument("ARITHMETIC_OVERFLOW",
                          "identity column \"" + field.name + "\" of table " + table_ +
                              " has no value left in 64 bits: it counts from " +
                              std::to_string(identity.start) + " in steps of " +
                              std::to_string(identity.step),
                          "22003"));
  }
  duckdb::Vector out(duckdb::LogicalType::BIGINT);
  auto* values = duckdb::FlatVector::GetData<int64_t>(out);
  int64_t value = *first;
  values[0] = value;
  for (size_t row = 1; row < count; row++) values[row] = value += identity.step;
  rows.data[place].Reference(out);
}

delta::TypePtr IdentityValues::MovedMarks(const delta::TypePtr& schema) const {
  delta::TypePtr moved = schema;
  for (const auto& [place, column] : columns_) {
    const int64_t given = column.given.load();
    if (given > 0) moved = delta::WithIdentityMark(moved, place, *column.identity.Last(given));
  }
  return moved;
}

}  // namespace weir::engine
