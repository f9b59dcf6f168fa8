// SPDX-License-Identifier: Apache-2.0
#include "iceberg/avro.h"

#include <zlib.h>

#include <algorithm>

#include "base/uuid.h"

namespace weir::iceberg {
namespace {

constexpr std::string_view kMagic("Obj\1", 4);
constexpr size_t kSyncSize = 16;
// Of one block; writers make them of some kilobytes.
constexpr size_t kGreatestBlock = size_t{1} << 28;
constexpr int kRawDeflate = -15;

std::string Deflate(std::string_view data) {
  z_stream stream{};
  constexpr int kDefaultMemory = 8;
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kRawDeflate, kDefaultMemory,
               Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, data.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

Result<std::string> Inflate(std::string_view data) {
  z_stream stream{};
  inflateInit2(&stream, kRawDeflate);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  std::string out;
  int code = Z_OK;
  while (code == Z_OK && out.size() < kGreatestBlock) {
    const size_t done = out.size();
    out.resize(std::max<size_t>(done * 2, 64 * 1024));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    stream.avail_out = static_cast<uInt>(out.size() - done);
    code = inflate(&stream, Z_NO_FLUSH);
  }
  out.resize(stream.total_out);
  inflateEnd(&stream);
  if (code != Z_STREAM_END) return Fail(Malformed("a block that is no deflated data"));
  return out;
}

std::map<std::string, std::string> ReadHead(AvroDecoder& decoder) {
  std::map<std::string, std::string> metadata;
  for (int64_t count = decoder.Long(); count != 0 && decoder.ok(); count = decoder.Long()) {
    if (count < 0) {
      decoder.Long();  // The block's size in bytes.
      if (count == INT64_MIN) decoder.Refuse();
      count = decoder.ok() ? -count : 0;
    }
    for (; count > 0 && decoder.ok(); --count) {
      std::string key(decoder.Bytes());
      metadata.insert_or_assign(std::move(key), std::string(decoder.Bytes()));
    }
  }
  return metadata;
}

}  // namespace

Error Malformed(std::string what) {
  return CorruptLog("WEIR_ICEBERG_METADATA_MALFORMED", "metadata of Iceberg: " + std::move(what));
}

void AvroEncoder::Long(int64_t value) {
  auto bits = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
  for (; bits >= 0x80; bits >>= 7) out_ += static_cast<char>((bits & 0x7F) | 0x80);
  out_ += static_cast<char>(bits);
}

void AvroEncoder::Bytes(std::string_view value) {
  Long(static_cast<int64_t>(value.size()));
  out_ += value;
}

bool AvroDecoder::Boolean() {
  const std::string_view byte = Fixed(1);
  return !byte.empty() && byte[0] != '\0';
}

int64_t AvroDecoder::Long() {
  uint64_t bits = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::string_view byte = Fixed(1);
    if (byte.empty()) return 0;
    const auto part = static_cast<unsigned char>(byte[0]);
    bits |= static_cast<uint64_t>(part & 0x7F) << shift;
    if (part < 0x80) return static_cast<int64_t>(bits >> 1) ^ -static_cast<int64_t>(bits & 1);
  }
  ok_ = false;
  return 0;
}

std::string_view AvroDecoder::Fixed(int64_t size) {
  if (size < 0 || static_cast<uint64_t>(size) > in_.size()) ok_ = false;
  if (!ok_) return {};
  const std::string_view value = in_.substr(0, static_cast<size_t>(size));
  in_.remove_prefix(value.size());
  return value;
}

AvroFileWriter::AvroFileWriter(std::string_view schema,
                               const std::map<std::string, std::string>& metadata)
    : file_(kMagic) {
  const Uuid mark = Uuid::Random();
  sync_.assign(mark.bytes.begin(), mark.bytes.end());
  AvroEncoder encoder(file_);
  encoder.Long(static_cast<int64_t>(metadata.size()) + 2);
  encoder.Bytes("avro.schema");
  encoder.Bytes(schema);
  encoder.Bytes("avro.codec");
  encoder.Bytes("deflate");
  for (const auto& [key, value] : metadata) {
    encoder.Bytes(key);
    encoder.Bytes(value);
  }
  encoder.Long(0);
  file_ += sync_;
}

void AvroFileWriter::EndBlock() {
  if (count_ == 0) return;
  AvroEncoder encoder(file_);
  encoder.Long(count_);
  encoder.Bytes(Deflate(block_));
  file_ += sync_;
  block_.clear();
  count_ = 0;
}

std::string AvroFileWriter::Finish() {
  EndBlock();
  return std::move(file_);
}

std::string AvroFile::schema() const {
  const auto found = metadata.find("avro.schema");
  return found == metadata.end() ? std::string() : found->second;
}

Result<AvroFile> ReadAvroFile(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic) return Fail(Malformed("a file that is not Avro"));
  AvroDecoder decoder(bytes.substr(kMagic.size()));
  AvroFile file;
  file.metadata = ReadHead(decoder);
  const std::string_view sync = decoder.Fixed(kSyncSize);
  const std::string codec = file.metadata["avro.codec"];
  if (!codec.empty() && codec != "null" && codec != "deflate")
    return Fail(Malformed("an Avro file with codec " + codec));
  while (decoder.ok() && !decoder.at_end()) {
    const int64_t count = decoder.Long();
    const std::string_view block = decoder.Bytes();
    if (count < 0 || count > static_cast<int64_t>(kGreatestBlock) ||
        decoder.Fixed(kSyncSize) != sync)
      decoder.Refuse();
    if (!decoder.ok()) break;
    file.count += count;
    if (codec == "deflate") {
      WEIR_ASSIGN_OR_RETURN(const std::string records, Inflate(block));
      file.records += records;
    } else {
      file.records += block;
    }
  }
  if (!decoder.ok()) return Fail(Malformed("an Avro file that is cut off or garbled"));
  return file;
}

}  // namespace weir::iceberg
