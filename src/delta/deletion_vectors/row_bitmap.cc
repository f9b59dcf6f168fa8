// SPDX-License-Identifier: Apache-2.0
#include "delta/deletion_vectors/row_bitmap.h"

#include <roaring/roaring.h>

#include <algorithm>
#include <map>

#include "delta/deletion_vectors/roaring_reader.h"

namespace weir::delta {

namespace {

using Bitmap = roaring_bitmap_t;

struct FreeBitmap {
  void operator()(Bitmap* bitmap) const { roaring_bitmap_free(bitmap); }
};
using BitmapPtr = std::unique_ptr<Bitmap, FreeBitmap>;

constexpr uint64_t kBucketSize = uint64_t{1} << 32;

uint32_t High(uint64_t row) { return static_cast<uint32_t>(row >> 32); }
uint32_t Low(uint64_t row) { return static_cast<uint32_t>(row); }

void AppendLittleEndian(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

}  // namespace

struct RowBitmap::Buckets {
  std::map<uint32_t, BitmapPtr> by_key;

  Bitmap* Get(uint32_t key) {
    auto& bitmap = by_key[key];
    if (!bitmap) bitmap.reset(roaring_bitmap_create());
    return bitmap.get();
  }

  const Bitmap* Find(uint32_t key) const {
    auto it = by_key.find(key);
    return it == by_key.end() ? nullptr : it->second.get();
  }
};

RowBitmap::RowBitmap() : buckets_(std::make_unique<Buckets>()) {}
RowBitmap::RowBitmap(RowBitmap&& other) noexcept = default;
RowBitmap::~RowBitmap() = default;

RowBitmap::RowBitmap(const RowBitmap& other) : RowBitmap() {
  for (const auto& [key, bitmap] : other.buckets_->by_key) {
    buckets_->by_key[key].reset(roaring_bitmap_copy(bitmap.get()));
  }
}

RowBitmap& RowBitmap::operator=(RowBitmap other) noexcept {
  std::swap(buckets_, other.buckets_);
  return *this;
}

void RowBitmap::Add(uint64_t row) { roaring_bitmap_add(buckets_->Get(High(row)), Low(row)); }

void RowBitmap::AddRange(uint64_t begin, uint64_t end) {
  while (begin < end) {
    uint64_t base = begin & ~(kBucketSize - 1);
    uint64_t stop = std::min(end - base, kBucketSize);
    roaring_bitmap_add_range_closed(buckets_->Get(High(begin)), Low(begin),
                                    static_cast<uint32_t>(stop - 1));
    begin = base + stop;
  }
}

void RowBitmap::Union(const RowBitmap& other) {
  for (const auto& [key, bitmap] : other.buckets_->by_key) {
    roaring_bitmap_or_inplace(buckets_->Get(key), bitmap.get());
  }
}

void RowBitmap::Subtract(const RowBitmap& other) {
  for (auto it = buckets_->by_key.begin(); it != buckets_->by_key.end();) {
    if (&other == this) {
      it = buckets_->by_key.erase(it);
      continue;
    }
    if (const Bitmap* bitmap = other.buckets_->Find(it->first)) {
      roaring_bitmap_andnot_inplace(it->second.get(), bitmap);
    }
    it = roaring_bitmap_is_empty(it->second.get()) ? buckets_->by_key.erase(it) : std::next(it);
  }
}

bool RowBitmap::Contains(uint64_t row) const {
  const Bitmap* bitmap = buckets_->Find(High(row));
  return bitmap && roaring_bitmap_contains(bitmap, Low(row));
}

uint64_t RowBitmap::CountInRange(uint64_t begin, uint64_t end) const {
  if (begin >= end) return 0;
  uint64_t count = 0;
  for (auto it = buckets_->by_key.lower_bound(High(begin)); it != buckets_->by_key.end(); ++it) {
    uint64_t base = static_cast<uint64_t>(it->first) << 32;
    if (base >= end) break;
    count += roaring_bitmap_range_cardinality(it->second.get(), begin > base ? begin - base : 0,
                                              std::min(end - base, kBucketSize));
  }
  return count;
}

uint64_t RowBitmap::cardinality() const {
  uint64_t count = 0;
  for (const auto& [key, bitmap] : buckets_->by_key) {
    count += roaring_bitmap_get_cardinality(bitmap.get());
  }
  return count;
}

bool RowBitmap::empty() const { return cardinality() == 0; }

bool RowBitmap::operator==(const RowBitmap& other) const {
  if (cardinality() != other.cardinality()) return false;
  return std::all_of(buckets_->by_key.begin(), buckets_->by_key.end(), [&](const auto& entry) {
    const Bitmap* bitmap = other.buckets_->Find(entry.first);
    return bitmap ? roaring_bitmap_equals(entry.second.get(), bitmap)
                  : roaring_bitmap_is_empty(entry.second.get());
  });
}

void RowBitmap::ForEach(uint64_t begin, uint64_t end,
                        const std::function<void(uint64_t)>& visit) const {
  if (begin >= end) return;
  for (auto it = buckets_->by_key.lower_bound(High(begin)); it != buckets_->by_key.end(); ++it) {
    uint64_t base = static_cast<uint64_t>(it->first) << 32;
    if (base >= end) return;
    roaring_uint32_iterator_t cursor;
    roaring_init_iterator(it->second.get(), &cursor);
    if (base < begin) {
      roaring_move_uint32_iterator_equalorlarger(&cursor, Low(begin));
    }
    for (; cursor.has_value; roaring_advance_uint32_iterator(&cursor)) {
      uint64_t row = base | cursor.current_value;
      if (row >= end) return;
      visit(row);
    }
  }
}

void RowBitmap::ForEachRange(const std::function<void(uint64_t, uint64_t)>& visit) const {
  uint64_t begin = 0;
  uint64_t end = 0;
  ForEach(0, UINT64_MAX, [&](uint64_t row) {
    if (row == end && end > begin) {
      ++end;
      return;
    }
    if (end > begin) visit(begin, end);
    begin = row;
    end = row + 1;
  });
  if (end > begin) visit(begin, end);
}

std::string RowBitmap::Serialize() const {
  std::string out;
  AppendLittleEndian(out, kPortableMagic, 4);
  std::map<uint32_t, BitmapPtr> compact;
  for (const auto& [key, bitmap] : buckets_->by_key) {
    if (roaring_bitmap_is_empty(bitmap.get())) continue;
    BitmapPtr copy(roaring_bitmap_copy(bitmap.get()));
    roaring_bitmap_run_optimize(copy.get());
    compact[key] = std::move(copy);
  }
  AppendLittleEndian(out, compact.size(), 8);
  for (const auto& [key, bitmap] : compact) {
    AppendLittleEndian(out, key, 4);
    size_t at = out.size();
    out.resize(at + roaring_bitmap_portable_size_in_bytes(bitmap.get()));
    roaring_bitmap_portable_serialize(bitmap.get(), out.data() + at);
  }
  return out;
}

Result<RowBitmap> RowBitmap::Deserialize(std::string_view data) {
  RowBitmap rows;
  bool is_read = true;
  WEIR_RETURN_IF_ERROR(ReadRoaring(data, [&](uint32_t key, std::string_view bytes) {
    auto* bitmap = roaring_bitmap_portable_deserialize_safe(bytes.data(), bytes.size());
    is_read = is_read && bitmap != nullptr;
    if (bitmap) rows.buckets_->by_key[key].reset(bitmap);
  }));
  if (!is_read) return Fail(InternalError("a checked deletion vector could not be read"));
  return rows;
}

}  // namespace weir::delta
