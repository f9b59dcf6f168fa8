// SPDX-License-Identifier: Apache-2.0
#include "delta/deletion_vectors/deletion_vector.h"

#include <algorithm>
#include <limits>

#include "base/uuid.h"
#include "delta/actions/file_path.h"
#include "delta/deletion_vectors/vector_bytes.h"
#include "delta/deletion_vectors/z85.h"

namespace weir::delta {
namespace {

constexpr char kFormatVersion = 1;
constexpr size_t kEncodedUuidSize = 20;
constexpr int64_t kNumberSize = 4;

Error Malformed(const DeletionVectorDescriptor& descriptor, std::string_view why) {
  return CorruptLog("DELTA_DELETION_VECTOR_MALFORMED",
                    "deletion vector '" + descriptor.UniqueId() + "': " + std::string(why));
}

Error Mismatch(const char* name, const std::string& place, std::string_view what, int64_t found,
               int64_t expected) {
  return CorruptLog(name, "deletion vector at " + place + ": " + std::string(what) + " is " +
                              std::to_string(found) + ", expected " + std::to_string(expected));
}

void AppendBigEndian(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFF);
}

std::string FileName(const Uuid& id) { return "deletion_vector_" + id.ToString() + ".bin"; }

Result<std::string> InlineData(const DeletionVectorDescriptor& descriptor) {
  auto data = DecodeZ85(descriptor.path_or_inline_dv);
  if (!data) return Fail(Malformed(descriptor, "the inline data is no Z85 text"));
  auto size = static_cast<size_t>(descriptor.size_in_bytes);
  if (data->size() < size || data->size() - size > 3) {
    return Fail(Mismatch("DELTA_DELETION_VECTOR_SIZE_MISMATCH", "inline", "the decoded size",
                         static_cast<int64_t>(data->size()), descriptor.size_in_bytes));
  }
  data->resize(size);
  return *std::move(data);
}

// The record (size, data, checksum) of the vector. A vector that begins at 1, or says nothing of
// its offset, is read from 0, so that the version byte can be looked at.
Result<std::string> ReadRecord(storage::ObjectStore& store, const std::string& path,
                               const DeletionVectorDescriptor& descriptor) {
  int64_t length = kNumberSize + descriptor.size_in_bytes + kNumberSize;
  int64_t offset = descriptor.offset.value_or(0);
  if (offset > 1) return store.GetRange(path, offset, length);
  auto bytes = store.GetRange(path, 0, length + 1);
  if (!bytes) return bytes;
  if (!bytes->starts_with(kFormatVersion)) {
    return Fail(Malformed(descriptor, "the format version of '" + path + "' is not 1"));
  }
  return bytes->substr(1);
}

Result<std::string> StoredData(storage::ObjectStore& store, std::string_view root,
                               const DeletionVectorDescriptor& descriptor) {
  WEIR_ASSIGN_OR_RETURN(std::string path, DeletionVectorPath(root, descriptor));
  std::string place = "'" + path + "' offset " + std::to_string(descriptor.offset.value_or(0));
  WEIR_ASSIGN_OR_RETURN(std::string record, ReadRecord(store, path, descriptor));
  uint32_t size = BigEndian(record);
  if (size != static_cast<uint32_t>(descriptor.size_in_bytes)) {
    return Fail(Mismatch("DELTA_DELETION_VECTOR_SIZE_MISMATCH", place, "the size in the file", size,
                         descriptor.size_in_bytes));
  }
  std::string data = record.substr(kNumberSize, size);
  uint32_t expected = BigEndian(std::string_view(record).substr(kNumberSize + size));
  uint32_t found = VectorChecksum(data);
  if (found != expected) {
    return Fail(Mismatch("DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH", place, "the CRC-32 of the data",
                         found, expected));
  }
  return data;
}

}  // namespace

Result<std::string> DeletionVectorPath(std::string_view root,
                                       const DeletionVectorDescriptor& descriptor) {
  const std::string& text = descriptor.path_or_inline_dv;
  if (descriptor.storage_type == 'p') return ResolveFilePath(root, text);
  if (descriptor.storage_type != 'u') {
    return Fail(Malformed(descriptor, "storage type '" + std::string(1, descriptor.storage_type) +
                                          "' names no file"));
  }
  if (text.size() < kEncodedUuidSize) return Fail(Malformed(descriptor, "too short for a UUID"));
  std::string prefix = text.substr(0, text.size() - kEncodedUuidSize);
  auto bytes = DecodeZ85(std::string_view(text).substr(prefix.size()));
  if (!bytes) return Fail(Malformed(descriptor, "its UUID is no Z85 text"));
  bool names_other_folder = prefix.find('/') != std::string::npos ||
                            prefix.find('\\') != std::string::npos || prefix == "." ||
                            prefix == "..";
  if (names_other_folder) return Fail(Malformed(descriptor, "its prefix is no folder name"));
  Uuid id;
  std::copy(bytes->begin(), bytes->end(), id.bytes.begin());
  std::string folder = prefix.empty() ? std::string(root) : storage::JoinPath(root, prefix);
  return storage::JoinPath(folder, FileName(id));
}

Result<RowBitmap> ReadDeletionVector(storage::ObjectStore& store, std::string_view root,
                                     const DeletionVectorDescriptor& descriptor) {
  if (descriptor.size_in_bytes < 0 || descriptor.cardinality < 0 ||
      descriptor.offset.value_or(0) < 0) {
    return Fail(Malformed(descriptor, "a negative size, offset or cardinality"));
  }
  bool is_inline = descriptor.storage_type == 'i';
  WEIR_ASSIGN_OR_RETURN(std::string data,
                        is_inline ? InlineData(descriptor) : StoredData(store, root, descriptor));
  auto rows = RowBitmap::Deserialize(data);
  if (!rows)
    return Fail(rows.error().WithContext("deletion vector '" + descriptor.UniqueId() + "'"));
  auto found = static_cast<int64_t>(rows->cardinality());
  if (found != descriptor.cardinality) {
    return Fail(Mismatch("DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH",
                         "'" + descriptor.UniqueId() + "'", "the number of rows", found,
                         descriptor.cardinality));
  }
  return rows;
}

DeletionVectorWriter::DeletionVectorWriter(storage::ObjectStore& store, std::string root,
                                           std::string prefix)
    : store_(store), data_(1, kFormatVersion) {
  Uuid id = Uuid::Random();
  encoded_id_ =
      prefix + EncodeZ85({reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size()});
  path_ = storage::JoinPath(prefix.empty() ? root : storage::JoinPath(root, prefix), FileName(id));
}

Result<DeletionVectorDescriptor> DeletionVectorWriter::Add(const RowBitmap& rows) {
  std::string bytes = rows.Serialize();
  size_t record = bytes.size() + 2 * kNumberSize;
  if (data_.size() + record > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return Fail(InvalidArgument("DELTA_DELETION_VECTOR_TOO_LARGE",
                                "the deletion vectors of one commit do not fit a file of 2 GiB; "
                                "delete fewer rows at a time, or rewrite the files"));
  }
  DeletionVectorDescriptor descriptor;
  descriptor.storage_type = 'u';
  descriptor.path_or_inline_dv = encoded_id_;
  descriptor.offset = static_cast<int32_t>(data_.size());
  descriptor.size_in_bytes = static_cast<int32_t>(bytes.size());
  descriptor.cardinality = static_cast<int64_t>(rows.cardinality());
  AppendBigEndian(data_, static_cast<uint32_t>(bytes.size()));
  data_ += bytes;
  AppendBigEndian(data_, VectorChecksum(bytes));
  return descriptor;
}

Status DeletionVectorWriter::Finish() {
  if (data_.size() == 1) return {};
  return store_.Put(path_, data_);
}

}  // namespace weir::delta
