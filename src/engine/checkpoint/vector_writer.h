// SPDX-License-Identifier: Apache-2.0
//
// Filling flat vectors of an output chunk. Everything starts as NULL (MakeNull) and each put makes
// its row valid, so that what is not put needs no thought.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "duckdb/common/types/vector.hpp"

#include "delta/checkpoint/checkpoint_io.h"

namespace weir::engine {

/// Makes `count` rows NULL, in the members of structs too.
void MakeNull(duckdb::Vector& vector, size_t count);

/// The n-th member of a struct vector.
inline duckdb::Vector& Member(duckdb::Vector& vector, size_t n) {
  return *duckdb::StructVector::GetEntries(vector)[n];
}

/// Makes a struct's row not NULL.
inline void PutStruct(duckdb::Vector& vector, size_t row) {
  duckdb::FlatVector::Validity(vector).SetValid(row);
}

template <typename T>
void Put(duckdb::Vector& vector, size_t row, T value) {
  duckdb::FlatVector::Validity(vector).SetValid(row);
  duckdb::FlatVector::GetData<T>(vector)[row] = value;
}
template <typename T>
void Put(duckdb::Vector& vector, size_t row, const std::optional<T>& value) {
  if (value) Put<T>(vector, row, *value);
}

void PutText(duckdb::Vector& vector, size_t row, std::string_view text);
inline void PutText(duckdb::Vector& vector, size_t row, const std::optional<std::string>& text) {
  if (text) PutText(vector, row, std::string_view(*text));
}

/// A row of a MAP(VARCHAR, VARCHAR).
void PutMap(duckdb::Vector& vector, size_t row, std::span<const delta::MapEntryView> entries);
void PutMap(duckdb::Vector& vector, size_t row, const delta::StringMap& entries);
void PutMap(duckdb::Vector& vector, size_t row, const delta::PartitionValues& entries);

/// A row of a VARCHAR[].
void PutList(duckdb::Vector& vector, size_t row, const std::vector<std::string>& items);

}  // namespace weir::engine
