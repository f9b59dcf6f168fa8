// SPDX-License-Identifier: Apache-2.0
//
// Short names for reading flat vectors.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "duckdb/common/types/data_chunk.hpp"
#include "duckdb/common/types/vector.hpp"

#include "delta/checkpoint/checkpoint_io.h"

namespace weir::engine {

inline std::string_view ViewOf(const duckdb::string_t& text) {
  return {text.GetData(), text.GetSize()};
}

/// A flat column of a chunk.
template <typename T>
class FlatColumn {
 public:
  FlatColumn(duckdb::DataChunk& chunk, size_t column) : FlatColumn(chunk.data[column]) {}
  explicit FlatColumn(duckdb::Vector& vector)
      : data_(duckdb::FlatVector::GetData<T>(vector)),
        valid_(duckdb::FlatVector::Validity(vector)) {}

  bool IsNull(size_t row) const { return !valid_.RowIsValid(row); }
  const T& operator[](size_t row) const { return data_[row]; }
  std::optional<T> Get(size_t row) const {
    return IsNull(row) ? std::nullopt : std::optional<T>(data_[row]);
  }

 private:
  const T* data_;
  const duckdb::ValidityMask& valid_;
};

/// A MAP(VARCHAR, VARCHAR) column of a flattened chunk.
class MapColumn {
 public:
  MapColumn(duckdb::DataChunk& chunk, size_t column) : entries_(chunk.data[column]) {
    auto& map = chunk.data[column];
    size_t count = duckdb::ListVector::GetListSize(map);
    duckdb::MapVector::GetKeys(map).ToUnifiedFormat(count, keys_);
    duckdb::MapVector::GetValues(map).ToUnifiedFormat(count, values_);
  }

  bool IsNull(size_t row) const { return entries_.IsNull(row); }
  /// The entries of a row, in place of what `out` held.
  void Get(size_t row, std::vector<delta::MapEntryView>& out) const {
    out.clear();
    if (IsNull(row)) return;
    const auto& entry = entries_[row];
    for (size_t i = entry.offset; i < entry.offset + entry.length; ++i) {
      auto& target = out.emplace_back();
      target.key = ViewOf(Text(keys_, i));
      auto value = values_.sel->get_index(i);
      if (values_.validity.RowIsValid(value)) target.value = ViewOf(Text(values_, i));
    }
  }

 private:
  static const duckdb::string_t& Text(const duckdb::UnifiedVectorFormat& format, size_t i) {
    return duckdb::UnifiedVectorFormat::GetData<duckdb::string_t>(format)[format.sel->get_index(i)];
  }

  FlatColumn<duckdb::list_entry_t> entries_;
  duckdb::UnifiedVectorFormat keys_;
  duckdb::UnifiedVectorFormat values_;
};

}  // namespace weir::engine
