// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace weir::cli {

/// Reads lines from the terminal, with editing and a history that is kept in
/// $XDG_STATE_HOME/weir/history (else
/// ~/.local/state/weir/history). Not thread-safe; one at a time.
class LineEditor {
 public:
  enum class Got { kLine, kCancelled, kEnd };

  LineEditor();
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  /// Reads a line into `line`, without its end. kCancelled for Ctrl-C, kEnd for Ctrl-D on an empty
  /// line.
  Got Read(const std::string& prompt, std::string& line);
  /// Remembers a whole statement.
  void AddToHistory(const std::string& statement);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace weir::cli
