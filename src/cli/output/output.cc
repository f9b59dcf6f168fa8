// SPDX-License-Identifier: Apache-2.0
#include "cli/output/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace weir::cli {
namespace {
constexpr size_t kBufferSize = 64 * 1024;
}

void Output::Write(std::string_view bytes) {
  if (failed()) return;
  if (bytes.size() >= kBufferSize) {
    Flush();
    Send(bytes);
    return;
  }
  buffer_ += bytes;
  if (buffer_.size() >= kBufferSize) Flush();
}

void Output::Flush() {
  Send(buffer_);
  buffer_.clear();
}

void Output::Send(std::string_view bytes) {
  size_t written = 0;
  while (!failed() && written < bytes.size()) {
    const ssize_t count = ::write(descriptor_, bytes.data() + written, bytes.size() - written);
    if (count >= 0) {
      written += static_cast<size_t>(count);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
}

bool Output::reader_gone() const { return error_ == EPIPE; }

Status Output::status() const {
  if (!failed()) return {};
  return Fail(IoError("WEIR_OUTPUT_FAILED",
                      std::string("cannot write the result: ") + std::strerror(error_)));
}

}  // namespace weir::cli
