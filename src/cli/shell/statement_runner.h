// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/output/output.h"
#include "cli/output/result_writer.h"
#include "engine/session.h"

namespace weir::cli {

/// Runs statements on a session and writes what they give. Ctrl-C cancels the running statement.
/// `session` and `out` outlive it.
class StatementRunner {
 public:
  StatementRunner(engine::Session& session, Output& out, OutputFormat format)
      : session_(session), out_(out), format_(format) {}

  /// Runs the statements of `sql` in order and writes each result, up to the first failure. Errors:
  /// those of the statements; kIo WEIR_OUTPUT_FAILED when a result could not be written.
  Status Run(std::string_view sql);

  OutputFormat format() const { return format_; }
  void set_format(OutputFormat format) { format_ = format; }
  /// Whether statements without rows say what they did ("3 rows changed"), as people at a shell
  /// like it.
  void set_feedback(bool on) { feedback_ = on; }
  /// Whether each statement's time is written.
  void set_timer(bool on) { timer_ = on; }

 private:
  Status RunOne(const std::string& statement);
  Result<std::unique_ptr<engine::QueryResult>> QueryWithProgress(const std::string& statement);
  Status WriteFeedback(engine::QueryResult& result);

  engine::Session& session_;
  Output& out_;
  OutputFormat format_;
  bool feedback_ = false;
  bool timer_ = false;
};

}  // namespace weir::cli
