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
  std::string_view rest() const { return data_; }

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
  explicit BitmapReader(Bytes& in) : in_(in) {}

  // Moves over the bitmap and returns its bytes.
  Result<std::string_view> Read() {
    std::string_view start = in_.rest();
    WEIR_RETURN_IF_ERROR(Check());
    return start.substr(0, start.size() - in_.left());
  }

 private:
  Status Check() {
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
      uint32_t cardinality = U16(*headers, 2 * i + 1) + 1;
      bool is_run = has_runs && (static_cast<uint8_t>(run_flags[i / 8]) >> (i % 8) & 1);
      WEIR_RETURN_IF_ERROR(is_run                                ? CheckRuns()
                           : cardinality <= kMaxArrayCardinality ? CheckArray(cardinality)
                                                                 : CheckBitset(cardinality));
    }
    return {};
  }

  Status CheckRuns() {
    auto count = in_.Number(2);
    auto runs = count ? in_.Take(*count * 4) : std::nullopt;
    if (!runs || *count == 0) return Fail(Malformed("a run container is empty or cut off"));
    int64_t last = -1;
    for (size_t i = 0; i < *count; ++i) {
      uint32_t start = U16(*runs, 2 * i);
      uint32_t end = start + U16(*runs, 2 * i + 1);
      if (start <= last || end > 0xFFFF) return Fail(Malformed("runs overlap or overflow"));
      last = end;
    }
    return {};
  }

  Status CheckArray(uint32_t cardinality) {
    auto values = in_.Take(size_t{cardinality} * 2);
    if (!values) return Fail(Malformed("it ends within an array container"));
    for (size_t i = 1; i < cardinality; ++i) {
      if (U16(*values, i) <= U16(*values, i - 1)) {
        return Fail(Malformed("the values of an array do not ascend"));
      }
    }
    return {};
  }

  Status CheckBitset(uint32_t cardinality) {
    auto bits = in_.Take(kBitsetBytes);
    if (!bits) return Fail(Malformed("it ends within a bitset"));
    uint32_t found = 0;
    for (char byte : *bits) found += std::popcount(static_cast<uint8_t>(byte));
    if (found != cardinality)
      return Fail(Malformed("a bitset does not hold as many bits as it says"));
    return {};
  }

  Bytes& in_;
};

Status ReadPortable(Bytes& in, const TakeBitmap& take) {
  auto count = in.Number(8);
  if (!count) return Fail(Malformed("it ends before the number of bitmaps"));
  // The smallest bitmap takes a key, a cookie and a count.
  if (*count > in.left() / 8)
    return Fail(Malformed("it promises more bitmaps than it has bytes for"));
  int64_t last_key = -1;
  for (uint64_t i = 0; i < *count; ++i) {
    auto key = in.Number(4);
    if (!key) return Fail(Malformed("it ends before a bitmap's key"));
    if (static_cast<int64_t>(*key) <= last_key || *key > 0x7FFFFFFF) {
      return Fail(Malformed("the keys of the bitmaps do not ascend below 2^31"));
    }
    last_key = static_cast<int64_t>(*key);
    WEIR_ASSIGN_OR_RETURN(std::string_view bitmap, BitmapReader(in).Read());
    take(static_cast<uint32_t>(*key), bitmap);
  }
  return {};
}

Status ReadNative(Bytes& in, const TakeBitmap& take) {
  auto count = in.Number(4);
  if (!count || *count > in.left() / 4) return Fail(Malformed("wrong number of bitmaps"));
  for (uint64_t i = 0; i < *count; ++i) {
    auto size = in.Number(4);
    auto data = size ? in.Take(*size) : std::nullopt;
    if (!data) return Fail(Malformed("it ends within a bitmap"));
    Bytes bitmap(*data);
    WEIR_ASSIGN_OR_RETURN(std::string_view checked, BitmapReader(bitmap).Read());
    take(static_cast<uint32_t>(i), checked);
  }
  return {};
}

}  // namespace

Status ReadRoaring(std::string_view data, const TakeBitmap& take) {
  Bytes in(data);
  auto magic = in.Number(4);
  if (!magic) return Fail(Malformed("it has no magic number"));
  if (*magic == kPortableMagic) return ReadPortable(in, take);
  if (*magic == kNativeMagic) return ReadNative(in, take);
  return Fail(Malformed("magic number " + std::to_string(*magic) + ", expected " +
                        std::to_string(kPortableMagic) + " or " + std::to_string(kNativeMagic)));
}

}  // namespace weir::delta
