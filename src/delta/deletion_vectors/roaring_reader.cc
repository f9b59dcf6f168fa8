// SPDX-License-Identifier: Apache-2.0
#include "delta/deletion_vectors/roaring_reader.h"

#include <bit>
#include <optional>
#include <string>
#include <vector>

namespace weir::delta {
namespace {

constexpr uint32_t kCookieWithRuns = 12347;
constexpr uint32_t kCookieWithoutRuns = 12346;
constexpr uint32_t kMaxContainers = 65'536;
constexpr uint32_t kMaxArrayCardinality = 4096;
constexpr size_t kBitsetBytes = 8192;
// With runs, offsets are left out for fewer containers than this.
constexpr uint32_t kOffsetThreshold = 4;

Error Malformed(std::string_view what) {
  return CorruptLog("DELTA_DELETION_VECTOR_MALFORMED",
                    "the data of a deletion vector is malformed: " + std::string(what));
}

// Reads little-endian numbers and never runs over the end.
class Bytes {
 public:
  explicit Bytes(std::string_view data) : data_(data) {}

  std::optional<uint64_t> Number(size_t size) {
    if (data_.size() < size) return std::nullopt;
    uint64_t value = 0;
    for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(data_[i]);
    data_.remove_prefix(size);
    return value;
  }

  std::optional<std::string_view> Take(size_t size) {
    if (data_.size() < size) return std::nullopt;
    std::string_view taken = data_.substr(0, size);
    data_.remove_prefix(size);
    return taken;
  }

  size_t left() const { return data_.size(); }

 private:
  std::string_view data_;
};

uint32_t U16(std::string_view data, size_t index) {
  return static_cast<uint8_t>(data[2 * index]) |
         static_cast<uint32_t>(static_cast<uint8_t>(data[2 * index + 1])) << 8;
}

// One 32-bit bitmap.
class BitmapReader {
 public:
  BitmapReader(Bytes& in, uint32_t key, const TakeRows& take) : in_(in), key_(key), take_(take) {}

  Status Read() {
    auto cookie = in_.Number(4);
    if (!cookie) return Fail(Malformed("it ends before a bitmap"));
    uint64_t count = 0;
    std::string_view run_flags;
    bool has_runs = (*cookie & 0xFFFF) == kCookieWithRuns;
    if (has_runs) {
      count = (*cookie >> 16) + 1;
      auto flags = in_.Take((count + 7) / 8);
      if (!flags) return Fail(Malformed("it ends within the run flags"));
      run_flags = *flags;
    } else if (*cookie == kCookieWithoutRuns) {
      auto number = in_.Number(4);
      if (!number || *number > kMaxContainers) return Fail(Malformed("wrong number of containers"));
      count = *number;
    } else {
      return Fail(Malformed("a bitmap begins with an unknown cookie"));
    }
    auto headers = in_.Take(count * 4);
    if (!headers) return Fail(Malformed("it ends within the container headers"));
    bool has_offsets = !has_runs || count >= kOffsetThreshold;
    if (has_offsets && !in_.Take(count * 4)) return Fail(Malformed("it ends within the offsets"));
    int64_t last_key = -1;
    for (size_t i = 0; i < count; ++i) {
      uint32_t container_key = U16(*headers, 2 * i);
      if (container_key <= last_key) return Fail(Malformed("container keys do not ascend"));
      last_key = container_key;
      base_ = container_key << 16;
      uint32_t cardinality = U16(*headers, 2 * i + 1) + 1;
      bool is_run = has_runs && (static_cast<uint8_t>(run_flags[i / 8]) >> (i % 8) & 1);
      WEIR_RETURN_IF_ERROR(is_run                               ? ReadRuns()
                           : cardinality <= kMaxArrayCardinality ? ReadArray(cardinality)
                                                                 : ReadBitset(cardinality));
    }
    return {};
  }

 private:
  void Take(uint32_t first, uint32_t last) { take_(key_, base_ + first, base_ + last); }

  Status ReadRuns() {
    auto count = in_.Number(2);
    auto runs = count ? in_.Take(*count * 4) : std::nullopt;
    if (!runs) return Fail(Malformed("it ends within a run container"));
    int64_t last = -1;
    for (size_t i = 0; i < *count; ++i) {
      uint32_t start = U16(*runs, 2 * i);
      uint32_t end = start + U16(*runs, 2 * i + 1);
      if (start <= last || end > 0xFFFF) return Fail(Malformed("runs overlap or overflow"));
      Take(start, end);
      last = end;
    }
    return {};
  }

  Status ReadArray(uint32_t cardinality) {
    auto values = in_.Take(size_t{cardinality} * 2);
    if (!values) return Fail(Malformed("it ends within an array container"));
    int64_t run_begin = U16(*values, 0);
    int64_t last = run_begin;
    for (size_t i = 1; i < cardinality; ++i) {
      int64_t value = U16(*values, i);
      if (value <= last) return Fail(Malformed("the values of an array do not ascend"));
      if (value != last + 1) {
        Take(static_cast<uint32_t>(run_begin), static_cast<uint32_t>(last));
        run_begin = value;
      }
      last = value;
    }
    Take(static_cast<uint32_t>(run_begin), static_cast<uint32_t>(last));
    return {};
  }

  Status ReadBitset(uint32_t cardinality) {
    auto bits = in_.Take(kBitsetBytes);
    if (!bits) return Fail(Malformed("it ends within a bitset"));
    uint32_t found = 0;
    for (char byte : *bits) found += std::popcount(static_cast<uint8_t>(byte));
    if (found != cardinality) return Fail(Malformed("a bitset does not hold as many bits as it says"));
    auto is_set = [&](uint32_t i) { return static_cast<uint8_t>((*bits)[i / 8]) >> (i % 8) & 1; };
    for (uint32_t i = 0; i < kBitsetBytes * 8;) {
      if (!is_set(i)) {
        ++i;
        continue;
      }
      uint32_t first = i;
      while (i < kBitsetBytes * 8 && is_set(i)) ++i;
      Take(first, i - 1);
    }
    return {};
  }

  Bytes& in_;
  uint32_t key_;
  const TakeRows& take_;
  uint32_t base_ = 0;
};

Status ReadPortable(Bytes& in, const TakeRows& take) {
  auto count = in.Number(8);
  if (!count) return Fail(Malformed("it ends before the number of bitmaps"));
  // The smallest bitmap takes a key, a cookie and a count.
  if (*count > in.left() / 8) return Fail(Malformed("it promises more bitmaps than it has bytes for"));
  int64_t last_key = -1;
  for (uint64_t i = 0; i < *count; ++i) {
    auto key = in.Number(4);
    if (!key) return Fail(Malformed("it ends before a bitmap's key"));
    if (static_cast<int64_t>(*key) <= last_key || *key > 0x7FFFFFFF) {
      return Fail(Malformed("the keys of the bitmaps do not ascend below 2^31"));
    }
    last_key = static_cast<int64_t>(*key);
    WEIR_RETURN_IF_ERROR(BitmapReader(in, static_cast<uint32_t>(*key), take).Read());
  }
  return {};
}

Status ReadNative(Bytes& in, const TakeRows& take) {
  auto count = in.Number(4);
  if (!count || *count > in.left() / 4) return Fail(Malformed("wrong number of bitmaps"));
  for (uint64_t i = 0; i < *count; ++i) {
    auto size = in.Number(4);
    auto data = size ? in.Take(*size) : std::nullopt;
    if (!data) return Fail(Malformed("it ends within a bitmap"));
    Bytes bitmap(*data);
    WEIR_RETURN_IF_ERROR(BitmapReader(bitmap, static_cast<uint32_t>(i), take).Read());
  }
  return {};
}

}  // namespace

Status ReadRoaring(std::string_view data, const TakeRows& take) {
  Bytes in(data);
  auto magic = in.Number(4);
  if (!magic) return Fail(Malformed("it has no magic number"));
  if (*magic == kPortableMagic) return ReadPortable(in, take);
  if (*magic == kNativeMagic) return ReadNative(in, take);
  return Fail(Malformed("magic number " + std::to_string(*magic) + ", expected " +
                        std::to_string(kPortableMagic) + " or " + std::to_string(kNativeMagic)));
}

}  // namespace weir::delta
