// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace weir::cli {

/// Buffered bytes to a file descriptor that is not closed here. After the first failure writes are
/// dropped. Not thread-safe.
class Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  ~Output() { Flush(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void Write(std::string_view bytes);
  void Flush();

  bool failed() const { return error_ != 0; }
  /// Whether the reader has gone (`weir sql ... | head`), which is nothing to complain about.
  bool reader_gone() const;
  /// Errors: kIo WEIR_OUTPUT_FAILED, with the system's reason.
  Status status() const;

 private:
  void Send(std::string_view bytes);

  int descriptor_;
  int error_ = 0;
  std::string buffer_;
};

}  // namespace weir::cli
