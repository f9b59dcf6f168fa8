// SPDX-License-Identifier: Apache-2.0
#include "changes/arrow_ipc/ipc_writer.h"

#include <cstring>

#include "changes/arrow_ipc/arrow_type.h"
#include "changes/arrow_ipc/flat_buffer.h"

namespace weir::changes {
namespace {

// Of the enum MetadataVersion and the union MessageHeader in Arrow's Message.fbs.
constexpr int64_t kVersion5 = 4;
constexpr int64_t kSchemaHeader = 1;
constexpr int64_t kRecordBatchHeader = 3;

constexpr uint32_t kContinuation = 0xFFFFFFFF;
constexpr size_t kAlignment = 8;

std::string_view BytesOf(const uint32_t& number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}

// Begins a message; gives the place of its header.
FlatPlace BeginMessage(FlatBuffer& buffer, int64_t header, int64_t body_size) {
  return buffer.Table(buffer.root(),
                      {{3, 8, body_size}, {0, 2, kVersion5}, {1, 1, header}, {2, 0, 0}})[0];
}

Error StreamFailed(ArrowArrayStream& rows) {
  const char* message = rows.get_last_error(&rows);
  return InvalidArgument("WEIR_SQL_ERROR", message ? message : "the rows cannot be read");
}

size_t Padded(size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

// The nodes and buffers of one batch, depth first, as the format wants them. Refers to the array's
// own bytes: a batch is megabytes, which are not copied.
class BatchBody {
 public:
  Status Append(const ArrowArray& array, const ArrowColumn& column) {
    if (array.offset != 0) return Fail(InternalError("an Arrow array begins behind its buffers"));
    nodes_.emplace_back(array.length, array.null_count < 0 ? CountNulls(array) : array.null_count);
    if (column.layout == ArrowColumn::Layout::kNull) return {};
    AppendBuffer(array.buffers[0], array.buffers[0] ? (array.length + 7) / 8 : 0);
    AppendValues(array, column);
    for (size_t i = 0; i < column.children.size(); ++i)
      WEIR_RETURN_IF_ERROR(Append(*array.children[i], column.children[i]));
    return {};
  }

  /// With the zeros behind each buffer.
  int64_t size() const { return size_; }
  const std::vector<std::string_view>& parts() const { return parts_; }
  const std::vector<std::pair<int64_t, int64_t>>& nodes() const { return nodes_; }
  const std::vector<std::pair<int64_t, int64_t>>& buffers() const { return buffers_; }

 private:
  static int64_t CountNulls(const ArrowArray& array) {
    const auto* validity = static_cast<const uint8_t*>(array.buffers[0]);
    if (validity == nullptr) return 0;
    int64_t nulls = 0;
    for (int64_t i = 0; i < array.length; ++i) nulls += (validity[i / 8] >> (i % 8) & 1) == 0;
    return nulls;
  }

  void AppendValues(const ArrowArray& array, const ArrowColumn& column) {
    switch (column.layout) {
      case ArrowColumn::Layout::kBits:
        AppendBuffer(array.buffers[1], (array.length + 7) / 8);
        break;
      case ArrowColumn::Layout::kFixed:
        AppendBuffer(array.buffers[1], array.length * column.width);
        break;
      case ArrowColumn::Layout::kVariable:
        AppendBuffer(array.buffers[1], (array.length + 1) * column.width);
        AppendBuffer(array.buffers[2], LastOffset(array, column.width));
        break;
      case ArrowColumn::Layout::kList:
        AppendBuffer(array.buffers[1], (array.length + 1) * column.width);
        break;
      case ArrowColumn::Layout::kNull:
      case ArrowColumn::Layout::kStruct:
        break;
    }
  }

  static int64_t LastOffset(const ArrowArray& array, int64_t width) {
    if (array.length == 0) return 0;
    if (width == 8) return static_cast<const int64_t*>(array.buffers[1])[array.length];
    return static_cast<const int32_t*>(array.buffers[1])[array.length];
  }

  void AppendBuffer(const void* data, int64_t size) {
    if (data == nullptr) size = 0;
    buffers_.emplace_back(size_, size);
    if (size == 0) return;
    parts_.emplace_back(static_cast<const char*>(data), static_cast<size_t>(size));
    size_ += static_cast<int64_t>(Padded(parts_.back().size()));
  }

  int64_t size_ = 0;
  std::vector<std::string_view> parts_;
  std::vector<std::pair<int64_t, int64_t>> nodes_;
  std::vector<std::pair<int64_t, int64_t>> buffers_;
};

}  // namespace

Status ArrowIpcWriter::Write(ArrowArrayStream& rows) {
  if (!begun_) WEIR_RETURN_IF_ERROR(WriteSchema(rows));
  begun_ = true;
  while (true) {
    ArrowArray array;
    if (rows.get_next(&rows, &array) != 0) return Fail(StreamFailed(rows));
    if (array.release == nullptr) return {};
    const Status written = WriteBatch(array);
    array.release(&array);
    WEIR_RETURN_IF_ERROR(written);
  }
}

Status ArrowIpcWriter::WriteSchema(ArrowArrayStream& rows) {
  ArrowSchema schema;
  if (rows.get_schema(&rows, &schema) != 0) return Fail(StreamFailed(rows));
  FlatBuffer buffer;
  const FlatPlace header = BeginMessage(buffer, kSchemaHeader, 0);
  const auto pointers = buffer.Table(header, {{1, 0, 0}});
  const auto fields = buffer.Pointers(pointers[0], static_cast<size_t>(schema.n_children));
  Status written;
  for (size_t i = 0; i < fields.size() && written; ++i) {
    auto column = WriteField(buffer, fields[i], *schema.children[i]);
    if (column) {
      columns_.push_back(std::move(*column));
    } else {
      written = Fail(column.error());
    }
  }
  schema.release(&schema);
  if (written) WriteMetadata(buffer.bytes());
  return written;
}

Status ArrowIpcWriter::WriteBatch(const ArrowArray& array) {
  BatchBody body;
  for (size_t i = 0; i < columns_.size(); ++i)
    WEIR_RETURN_IF_ERROR(body.Append(*array.children[i], columns_[i]));
  FlatBuffer buffer;
  const FlatPlace header = BeginMessage(buffer, kRecordBatchHeader, body.size());
  const auto pointers = buffer.Table(header, {{0, 8, array.length}, {1, 0, 0}, {2, 0, 0}});
  buffer.Pairs(pointers[0], body.nodes());
  buffer.Pairs(pointers[1], body.buffers());
  WriteMetadata(buffer.bytes());
  for (const auto part : body.parts()) WritePadded(part);
  return {};
}

void ArrowIpcWriter::WriteMetadata(std::string_view metadata) {
  sink_(BytesOf(kContinuation));
  sink_(BytesOf(static_cast<uint32_t>(Padded(metadata.size()))));
  WritePadded(metadata);
}

void ArrowIpcWriter::WritePadded(std::string_view bytes) {
  static constexpr std::string_view kZeros("\0\0\0\0\0\0\0", kAlignment - 1);
  sink_(bytes);
  if (const size_t rest = Padded(bytes.size()) - bytes.size(); rest > 0)
    sink_(kZeros.substr(0, rest));
}

void ArrowIpcWriter::End() {
  sink_(BytesOf(kContinuation));
  sink_(BytesOf(0));
}

}  // namespace weir::changes
