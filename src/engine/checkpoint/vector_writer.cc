// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/vector_writer.h"

#include <vector>

namespace weir::engine {
namespace {

// Makes room for `count` items of a list or map in `row`; returns the place of the first.
size_t StartList(duckdb::Vector& vector, size_t row, size_t count) {
  size_t start = duckdb::ListVector::GetListSize(vector);
  duckdb::ListVector::Reserve(vector, start + count);
  duckdb::ListVector::SetListSize(vector, start + count);
  Put(vector, row, duckdb::list_entry_t(start, count));
  return start;
}

}  // namespace

void MakeNull(duckdb::Vector& vector, size_t count) {
  duckdb::FlatVector::Validity(vector).SetAllInvalid(count);
  if (vector.GetType().InternalType() != duckdb::PhysicalType::STRUCT) return;
  for (auto& child : duckdb::StructVector::GetEntries(vector)) MakeNull(*child, count);
}

void PutText(duckdb::Vector& vector, size_t row, std::string_view text) {
  Put(vector, row, duckdb::StringVector::AddString(vector, text.data(), text.size()));
}

void PutMap(duckdb::Vector& vector, size_t row, std::span<const delta::MapEntryView> entries) {
  size_t at = StartList(vector, row, entries.size());
  auto& keys = duckdb::MapVector::GetKeys(vector);
  auto& values = duckdb::MapVector::GetValues(vector);
  for (const auto& entry : entries) {
    PutText(keys, at, entry.key);
    if (entry.value) {
      PutText(values, at, *entry.value);
    } else {
      duckdb::FlatVector::SetNull(values, at, true);
    }
    ++at;
  }
}

void PutMap(duckdb::Vector& vector, size_t row, const delta::StringMap& entries) {
  std::vector<delta::MapEntryView> views;
  for (const auto& [key, value] : entries) views.push_back({key, std::string_view(value)});
  PutMap(vector, row, std::span<const delta::MapEntryView>(views));
}

void PutMap(duckdb::Vector& vector, size_t row, const delta::PartitionValues& entries) {
  std::vector<delta::MapEntryView> views;
  for (const auto& [key, value] : entries) views.push_back({key, value});
  PutMap(vector, row, std::span<const delta::MapEntryView>(views));
}

void PutList(duckdb::Vector& vector, size_t row, const std::vector<std::string>& items) {
  size_t at = StartList(vector, row, items.size());
  auto& child = duckdb::ListVector::GetEntry(vector);
  for (const auto& item : items) PutText(child, at++, std::string_view(item));
}

}  // namespace weir::engine
