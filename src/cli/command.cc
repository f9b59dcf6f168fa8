// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include <array>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <string>

#include "cli/commands/commands.h"

namespace weir::cli {
namespace {

constexpr std::array kCommands{
    Command{"graph", "Print what a pipeline's tables are made of", DeclareGraph},
    Command{"init", "Make a pipeline project that runs as it is", DeclareInit},
    Command{"run", "Bring the tables of a pipeline up to date", DeclareRun},
    Command{"sql", "Run SQL on a warehouse of Delta tables, or open a shell", DeclareSql},
    Command{"feed", "Keep a change feed of source tables in a data lake", DeclareFeed},
    Command{"changes", "Show or follow what changes in a table", DeclareChanges},
    Command{"check", "Find out what is wrong with a table, and mend it", DeclareCheck},
    Command{"log", "Show what is really in a table's log", DeclareLog},
};

constexpr const char* kFooter =
    "Results go to stdout, everything else to stderr. Exit status: 0 done, 1 failed, 2 wrong "
    "usage.\n"
    "`weir help COMMAND` tells more of a command.";

// `weir help [COMMAND]`
int PrintHelp(const CLI::App& app, const std::string& topic) {
  if (topic.empty()) {  // app.help() would give that of `help`, the subcommand that was parsed
    std::cout << app.get_formatter()->make_help(&app, "weir", CLI::AppFormatMode::Normal);
    return kDone;
  }
  for (const Command& command : Commands()) {
    if (topic != command.name) continue;
    std::cout << app.get_subcommand(topic)->help("weir");
    return kDone;
  }
  std::cerr << "weir: there is no command '" << topic << "'; `weir help` lists them\n";
  return kWrongUsage;
}

int ReportUsage(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    return app.exit(error);  // --help, --version: printed to stdout
  }
  std::cerr << "weir: " << error.what() << "\n`weir help` shows the usage\n";
  return kWrongUsage;
}

// A reader that closes our output early ends it quietly; text on the terminal is UTF-8 whatever the
// locale.
void PrepareProcess() {
  std::signal(SIGPIPE, SIG_IGN);
  std::setlocale(LC_CTYPE, "C.UTF-8");
}

}  // namespace

std::span<const Command> Commands() { return kCommands; }

int Main(int argc, char** argv) {
  PrepareProcess();
  CLI::App app("Weir keeps Delta Lake tables in step with changing sources.", "weir");
  app.set_version_flag("--version", "weir " WEIR_VERSION);
  app.set_help_flag("-h,--help", "Print this help");
  app.footer(kFooter);
  app.require_subcommand(0, 1);
  int status = kDone;
  for (const Command& command : Commands()) {
    CLI::App* subcommand = app.add_subcommand(command.name, command.summary);
    subcommand->callback([&status, run = command.declare(*subcommand)] { status = run(); });
  }
  std::string topic;
  CLI::App* help = app.add_subcommand("help", "Print the help of weir or of a command");
  help->add_option("command", topic, "The command");
  help->callback([&] { status = PrintHelp(app, topic); });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ReportUsage(app, error);
  }
  if (app.get_subcommands().empty()) {
    std::cerr << app.help();
    return kWrongUsage;
  }
  return status;
}

}  // namespace weir::cli
