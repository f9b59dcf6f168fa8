// SPDX-License-Identifier: Apache-2.0
//
// A set of row indexes of one data file: the content of a deletion vector. Held as compressed
// (Roaring) bitmaps of 32 bits, one for each value of the upper 32 bits that occurs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::delta {

/// Row indexes are 0 .. 2^63-1. A value type, thread-compatible.
class RowBitmap {
 public:
  RowBitmap();
  RowBitmap(const RowBitmap& other);
  RowBitmap(RowBitmap&& other) noexcept;
  RowBitmap& operator=(RowBitmap other) noexcept;
  ~RowBitmap();

  void Add(uint64_t row);
  /// The rows begin .. end-1.
  void AddRange(uint64_t begin, uint64_t end);
  /// Adds all of `other`.
  void Union(const RowBitmap& other);
  /// Takes all of `other` away.
  void Subtract(const RowBitmap& other);

  bool Contains(uint64_t row) const;
  /// How many of the rows begin .. end-1 are in the set.
  uint64_t CountInRange(uint64_t begin, uint64_t end) const;
  uint64_t cardinality() const;
  bool empty() const;
  bool operator==(const RowBitmap& other) const;

  /// Calls `visit` for every member of begin .. end-1, ascending.
  void ForEach(uint64_t begin, uint64_t end, const std::function<void(uint64_t)>& visit) const;
  /// Calls `visit(first, last + 1)` for every longest run of members, ascending.
  void ForEachRange(const std::function<void(uint64_t, uint64_t)>& visit) const;

  /// The data of a deletion vector: magic number and the portable 64-bit form (protocol section
  /// "Deletion Vector Format").
  std::string Serialize() const;

  /// Reads the portable form and the older "native" one (magic 1681511376). Every container is
  /// checked, so any input is safe. Bytes behind the bitmap are ignored. Errors: kCorruptLog
  /// DELTA_DELETION_VECTOR_MALFORMED says what is wrong with the bytes.
  static Result<RowBitmap> Deserialize(std::string_view data);

 private:
  struct Buckets;
  std::unique_ptr<Buckets> buckets_;
};

}  // namespace weir::delta
