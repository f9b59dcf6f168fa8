// SPDX-License-Identifier: Apache-2.0
#include "changes/arrow_ipc/flat_buffer.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace weir::changes {

static_assert(std::endian::native == std::endian::little, "the format's order of bytes");

namespace {

constexpr uint8_t kPointerSize = 4;

uint8_t SizeOf(const FlatField& field) { return field.size == 0 ? kPointerSize : field.size; }

}  // namespace

FlatBuffer::FlatBuffer() { Append<uint32_t>(0); }

template <typename T>
void FlatBuffer::Append(T value) {
  const size_t position = bytes_.size();
  bytes_.resize(position + sizeof(T));
  Set(position, value);
}

template <typename T>
void FlatBuffer::Set(size_t position, T value) {
  std::memcpy(bytes_.data() + position, &value, sizeof(T));
}

// So that what comes `ahead` bytes behind here is aligned.
void FlatBuffer::AlignTo(size_t alignment, size_t ahead) {
  while ((bytes_.size() + ahead) % alignment != 0) bytes_ += '\0';
}

void FlatBuffer::PointHere(FlatPlace place) {
  Set(place, static_cast<uint32_t>(bytes_.size() - place));
}

// The table of places stands right before the table, which begins with the distance to it.
std::vector<FlatPlace> FlatBuffer::Table(FlatPlace place, const std::vector<FlatField>& fields) {
  uint16_t last_id = 0;
  for (const auto& field : fields) last_id = std::max(last_id, field.id);
  const size_t slots = fields.empty() ? 0 : size_t{last_id} + 1;
  const size_t vtable_size = 4 + 2 * slots;
  AlignTo(8, vtable_size);
  const size_t vtable = bytes_.size();
  bytes_.resize(vtable + vtable_size, '\0');
  const size_t table = bytes_.size();
  PointHere(place);
  Append(static_cast<int32_t>(table - vtable));
  std::vector<FlatPlace> pointers;
  for (const auto& field : fields) {
    const uint8_t size = SizeOf(field);
    AlignTo(size);
    const size_t position = bytes_.size();
    Set(vtable + 4 + 2 * size_t{field.id}, static_cast<uint16_t>(position - table));
    if (field.size == 0) pointers.push_back(position);
    bytes_.resize(position + size, '\0');
    if (field.size != 0) std::memcpy(bytes_.data() + position, &field.value, size);
  }
  Set(vtable, static_cast<uint16_t>(vtable_size));
  Set(vtable + 2, static_cast<uint16_t>(bytes_.size() - table));
  return pointers;
}

void FlatBuffer::String(FlatPlace place, std::string_view text) {
  AlignTo(4);
  PointHere(place);
  Append(static_cast<uint32_t>(text.size()));
  bytes_.append(text);
  bytes_ += '\0';
}

std::vector<FlatPlace> FlatBuffer::Pointers(FlatPlace place, size_t count) {
  AlignTo(4);
  PointHere(place);
  Append(static_cast<uint32_t>(count));
  std::vector<FlatPlace> places;
  for (size_t i = 0; i < count; ++i) {
    places.push_back(bytes_.size());
    Append<uint32_t>(0);
  }
  return places;
}

void FlatBuffer::Pairs(FlatPlace place, const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  AlignTo(8, 4);
  PointHere(place);
  Append(static_cast<uint32_t>(pairs.size()));
  for (const auto& [first, second] : pairs) {
    Append(first);
    Append(second);
  }
}

}  // namespace weir::changes
