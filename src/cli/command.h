// SPDX-License-Identifier: Apache-2.0
//
// The table of subcommands. A new one is a file in commands/ with a function that declares its
// options, and a line in the table of command.cc.
#pragma once

#include <functional>
#include <span>

#include <CLI/CLI.hpp>

namespace weir::cli {

/// How the process ends.
enum ExitStatus : int {
  kDone = 0,
  kFailed = 1,
  kWrongUsage = 2,
};

struct Command {
  const char* name;
  const char* summary;
  /// Declares the command's options on `app` and returns what runs when they are parsed. What the
  /// options are stored in belongs to the returned function; a usage error it finds itself it
  /// throws as CLI::ValidationError.
  std::function<int()> (*declare)(CLI::App& app);
};

/// All subcommands, in the order of the help text.
std::span<const Command> Commands();

/// Parses the command line and runs the subcommand. Returns the exit status; errors and help of a
/// wrong command line go to stderr, asked-for help to stdout.
int Main(int argc, char** argv);

}  // namespace weir::cli
