// SPDX-License-Identifier: Apache-2.0
//
// As much of Avro (specification 1.11, "Binary Encoding" and "Object Container Files") as the
// metadata of Iceberg needs. Schemas are texts here: who writes and who reads records must agree.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::iceberg {

/// Appends values in Avro's binary encoding to a text.
class AvroEncoder {
 public:
  explicit AvroEncoder(std::string& out) : out_(out) {}

  void Boolean(bool value) { out_ += value ? '\1' : '\0'; }
  /// int, long, the branch of a union, the count of a block.
  void Long(int64_t value);
  /// bytes and string.
  void Bytes(std::string_view value);
  /// Without a length: fixed, float and double as they are in memory.
  void Fixed(std::string_view value) { out_ += value; }

 private:
  std::string& out_;
};

/// Reads values back. After anything that cannot be read ok() is false, and all else that is asked
/// for is zero or empty, so that one look at the end is enough.
class AvroDecoder {
 public:
  explicit AvroDecoder(std::string_view in) : in_(in) {}

  bool Boolean();
  int64_t Long();
  std::string_view Bytes() { return Fixed(Long()); }
  std::string_view Fixed(int64_t size);
  /// For a value that must not be: ok() becomes false.
  void Refuse() { ok_ = false; }

  bool ok() const { return ok_; }
  bool at_end() const { return in_.empty(); }
  /// Bytes that are left; no more values than these can follow.
  size_t left() const { return in_.size(); }

 private:
  std::string_view in_;
  bool ok_ = true;
};

/// A container file in the making, compressed with deflate.
class AvroFileWriter {
 public:
  /// `metadata` are pairs for the head beside Avro's own.
  AvroFileWriter(std::string_view schema, const std::map<std::string, std::string>& metadata);

  /// Adds one record that `encode(AvroEncoder&)` writes.
  template <typename Encode>
  void Add(const Encode& encode) {
    AvroEncoder encoder(block_);
    encode(encoder);
    ++count_;
    if (block_.size() >= kBlockSize) EndBlock();
  }

  /// The whole file; nothing may be added behind it.
  std::string Finish();

 private:
  static constexpr size_t kBlockSize = 256 * 1024;

  void EndBlock();

  std::string file_;
  std::string sync_;
  std::string block_;
  int64_t count_ = 0;
};

/// What a container file holds.
struct AvroFile {
  std::map<std::string, std::string> metadata;  ///< With avro.schema and avro.codec.
  std::string records;                          ///< All of them, one behind the other.
  int64_t count = 0;

  /// The schema's text; empty when the head has none.
  std::string schema() const;
};

/// Reads a file with codec null or deflate. Any input is safe. Errors: kCorruptLog
/// WEIR_ICEBERG_METADATA_MALFORMED says what is wrong.
Result<AvroFile> ReadAvroFile(std::string_view bytes);

/// An error WEIR_ICEBERG_METADATA_MALFORMED.
Error Malformed(std::string what);

}  // namespace weir::iceberg
