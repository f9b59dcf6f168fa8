// SPDX-License-Identifier: Apache-2.0
//
// As much of the FlatBuffers format as the metadata of Arrow's messages takes. Everything is
// written from front to back: a table first, with places left open for what it points to, then
// that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::changes {

/// A place in the buffer that is to point to something written later.
using FlatPlace = size_t;

/// One field of a table. Fields with their default value are left out by their absence.
struct FlatField {
  uint16_t id = 0;    ///< Its number in the table's schema.
  uint8_t size = 0;   ///< 1, 2, 4 or 8 bytes; 0 for a pointer.
  int64_t value = 0;  ///< Of a scalar.
};

/// Builds one buffer. Not thread-safe.
class FlatBuffer {
 public:
  /// Begins with the pointer to the root table, which the first call of Table fills.
  FlatBuffer();

  /// Writes a table that `place` points to, and gives the places of its pointers in the order of
  /// `fields`.
  std::vector<FlatPlace> Table(FlatPlace place, const std::vector<FlatField>& fields);
  void String(FlatPlace place, std::string_view text);
  /// A vector of pointers; gives their places.
  std::vector<FlatPlace> Pointers(FlatPlace place, size_t count);
  /// A vector of structs of two 64-bit integers each.
  void Pairs(FlatPlace place, const std::vector<std::pair<int64_t, int64_t>>& pairs);

  FlatPlace root() const { return 0; }
  const std::string& bytes() const { return bytes_; }

 private:
  void AlignTo(size_t alignment, size_t ahead = 0);
  template <typename T>
  void Append(T value);
  template <typename T>
  void Set(size_t position, T value);
  void PointHere(FlatPlace place);

  std::string bytes_;
};

}  // namespace weir::changes
