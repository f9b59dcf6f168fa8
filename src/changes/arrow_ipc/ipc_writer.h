// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "weir/arrow_abi.h"

namespace weir::changes {

/// What the buffers of one column, and of those in it, are in a batch.
struct ArrowColumn {
  enum class Layout {
    kNull,      ///< None.
    kBits,      ///< Validity, one bit a value.
    kFixed,     ///< Validity, `width` bytes a value.
    kVariable,  ///< Validity, offsets of `width` bytes, bytes.
    kList,      ///< Validity, offsets of `width` bytes, one child.
    kStruct,    ///< Validity, children.
  };
  Layout layout = Layout::kFixed;
  int64_t width = 0;
  std::vector<ArrowColumn> children;
};

/// Writes record batches in the streaming format of Arrow IPC (metadata version 5, no compression,
/// no dictionaries), as pyarrow.ipc.open_stream and others read it. Not thread-safe.
class ArrowIpcWriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  explicit ArrowIpcWriter(Sink sink) : sink_(std::move(sink)) {}

  /// Writes all batches of `rows`, and the schema before the first of them all: later streams must
  /// have the same. Does not release `rows`. Errors: those of the stream (WEIR_SQL_ERROR with its
  /// message); kUnsupportedFeature WEIR_ARROW_TYPE names a type that is not known here.
  Status Write(ArrowArrayStream& rows);
  /// Writes the mark of the stream's end, without which readers wait for more.
  void End();

 private:
  Status WriteSchema(ArrowArrayStream& rows);
  Status WriteBatch(const ArrowArray& array);
  void WriteMetadata(std::string_view metadata);
  void WritePadded(std::string_view bytes);

  const Sink sink_;
  std::vector<ArrowColumn> columns_;
  bool begun_ = false;
};

}  // namespace weir::changes
