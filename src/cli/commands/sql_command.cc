// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/engine_options.h"
#include "cli/output/output.h"
#include "cli/output/result_writer.h"
#include "cli/report.h"
#include "cli/shell/shell.h"
#include "cli/shell/statement_runner.h"

namespace weir::cli {
namespace {

struct SqlOptions {
  EngineOptions engine;
  std::vector<std::string> statements;
  std::string file;
  std::string format = "table";
};

Status RunFile(const std::string& path, engine::Session& session, Output& out,
               OutputFormat format) {
  if (path == "-") return RunScript(std::cin, session, out, format);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return Fail(
        NotFound("WEIR_FILE_NOT_FOUND", "cannot read '" + path + "': " + std::strerror(errno)));
  }
  Status status = RunScript(stream, session, out, format);
  if (status && stream.bad())
    return Fail(IoError("WEIR_READ_FAILED", "cannot read '" + path + "' to its end"));
  return status;
}

Status RunStatements(const SqlOptions& options, engine::Session& session, Output& out) {
  const OutputFormat format = *ParseOutputFormat(options.format);
  if (!options.file.empty()) return RunFile(options.file, session, out, format);
  if (options.statements.empty()) {
    if (::isatty(STDIN_FILENO) == 0) return RunScript(std::cin, session, out, format);
    RunInteractiveShell(session, out, format);
    return {};
  }
  StatementRunner runner(session, out, format);
  for (const std::string& statement : options.statements)
    WEIR_RETURN_IF_ERROR(runner.Run(statement));
  return {};
}

Status RunSql(const SqlOptions& options, Output& out) {
  WEIR_ASSIGN_OR_RETURN(const Engine engine, OpenEngine(options.engine));
  WEIR_RETURN_IF_ERROR(RunStatements(options, *engine.session, out));
  if (!engine.session->HasUncommittedChanges()) return {};
  return Fail(InvalidArgument("WEIR_TRANSACTION_NOT_COMMITTED",
                              "the statements end within the transaction that BEGIN has opened: "
                              "its changes are discarded. End it with COMMIT, or with ROLLBACK",
                              "25000"));
}

}  // namespace

std::function<int()> DeclareSql(CLI::App& app) {
  auto options = std::make_shared<SqlOptions>();
  options->engine.DeclareWithWarehouse(app);
  auto* command = app.add_option("-c,--command", options->statements,
                                 "SQL to run, one or more statements; may be given again");
  command->allow_extra_args(false);
  app.add_option("-f,--file", options->file, "A file of SQL to run; - for standard input")
      ->excludes(command);
  app.add_option("--format", options->format,
                 "How results are written: table, json, jsonl, csv or markdown")
      ->check(CLI::IsMember(OutputFormatNames()))
      ->capture_default_str();
  app.footer("Without -c and -f: a shell on a terminal, else SQL is read from standard input.");
  return [options] { return FinishCommand([&](Output& out) { return RunSql(*options, out); }); };
}

}  // namespace weir::cli
