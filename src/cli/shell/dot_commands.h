// SPDX-License-Identifier: Apache-2.0
//
// The shell's own commands, which start with a dot.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/output/output.h"
#include "cli/shell/statement_runner.h"
#include "engine/session.h"

namespace weir::cli {

/// What a dot command works on.
struct ShellContext {
  engine::Session& session;
  StatementRunner& runner;
  Output& out;
  bool quit = false;
};

/// Whether a line is a dot command when no statement is begun.
bool IsDotCommand(std::string_view line);

/// Runs it. Errors: kInvalidArgument WEIR_UNKNOWN_SHELL_COMMAND, WEIR_SHELL_USAGE; those of the
/// statements behind it.
Status RunDotCommand(std::string_view line, ShellContext& context);

}  // namespace weir::cli
