// SPDX-License-Identifier: Apache-2.0
#include "cli/shell/shell.h"

#include <csignal>
#include <string>

#include "base/text.h"
#include "cli/report.h"
#include "cli/shell/dot_commands.h"
#include "cli/shell/line_editor.h"
#include "cli/shell/statement_runner.h"
#include "engine/statement_splitter.h"

namespace weir::cli {
namespace {

constexpr const char* kPrompt = "weir> ";
constexpr const char* kContinuation = " ...> ";

// Whether the statements read so far are to be run. Only a line with a semicolon can end one, which
// keeps long statements from being read again with each line.
bool IsComplete(const std::string& buffer, const std::string& last_line) {
  return last_line.find(';') != std::string::npos && engine::SplitSqlText(buffer).complete;
}

}  // namespace

Status RunScript(std::istream& in, engine::Session& session, Output& out, OutputFormat format) {
  StatementRunner runner(session, out, format);
  ShellContext context{session, runner, out};
  std::string buffer;
  std::string line;
  while (!context.quit && std::getline(in, line)) {
    if (Trim(buffer).empty() && IsDotCommand(line)) {
      WEIR_RETURN_IF_ERROR(RunDotCommand(line, context));
      continue;
    }
    buffer += line + "\n";
    if (!IsComplete(buffer, line)) continue;
    WEIR_RETURN_IF_ERROR(runner.Run(buffer));
    buffer.clear();
  }
  return runner.Run(buffer);
}

void RunInteractiveShell(engine::Session& session, Output& out, OutputFormat format) {
  StatementRunner runner(session, out, format);
  runner.set_feedback(true);
  // Between the end of a statement and the prompt a Ctrl-C comes too late, and must not end the
  // shell.
  std::signal(SIGINT, SIG_IGN);
  ShellContext context{session, runner, out};
  LineEditor editor;
  std::string buffer;
  std::string line;
  out.Write("Weir " WEIR_VERSION
            ". A statement ends with a semicolon; .help lists the shell's commands.\n");
  out.Flush();
  while (!context.quit && !out.failed()) {
    const LineEditor::Got got = editor.Read(buffer.empty() ? kPrompt : kContinuation, line);
    if (got == LineEditor::Got::kEnd) break;
    if (got == LineEditor::Got::kCancelled) {
      buffer.clear();
      out.Write("^C\n");
      out.Flush();
      continue;
    }
    Status status;
    if (buffer.empty() && IsDotCommand(line)) {
      editor.AddToHistory(line);
      status = RunDotCommand(line, context);
    } else {
      if (!buffer.empty() || !Trim(line).empty()) buffer += line + "\n";
      if (!IsComplete(buffer, line)) continue;
      editor.AddToHistory(std::string(Trim(buffer)));
      status = runner.Run(buffer);
      buffer.clear();
    }
    if (!status) ReportError(status.error());
  }
}

}  // namespace weir::cli
