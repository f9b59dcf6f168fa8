// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <istream>

#include "base/result.h"
#include "cli/output/output.h"
#include "cli/output/result_writer.h"
#include "engine/session.h"

namespace weir::cli {

/// Reads SQL and dot commands from `in`, running each statement as soon as its semicolon is there,
/// so that another program may hold a conversation. A last statement needs none. Stops at the first
/// error and returns it.
Status RunScript(std::istream& in, engine::Session& session, Output& out, OutputFormat format);

/// The shell for a person at a terminal. Errors are shown and the shell goes on.
void RunInteractiveShell(engine::Session& session, Output& out, OutputFormat format);

}  // namespace weir::cli
