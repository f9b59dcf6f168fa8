// SPDX-License-Identifier: Apache-2.0
#include "cli/shell/dot_commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <memory>
#include <string>

#include "base/text.h"

namespace weir::cli {
namespace {

struct DotCommand {
  const char* name;
  const char* arguments;
  const char* summary;
  Status (*run)(std::string_view argument, ShellContext& context);
};

Error WrongUsage(std::string message) {
  return InvalidArgument("WEIR_SHELL_USAGE", std::move(message));
}

Status Help(std::string_view argument, ShellContext& context);

Status Tables(std::string_view, ShellContext& context) { return context.runner.Run("SHOW TABLES"); }

// The CREATE TABLE statement of one table or of all.
Status Schema(std::string_view argument, ShellContext& context) {
  std::string sql = "SELECT sql FROM duckdb_tables() WHERE database_name = current_database()";
  if (!argument.empty()) sql += " AND table_name = " + QuoteLiteral(argument);
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<engine::QueryResult> result,
                        context.session.Query(sql + " ORDER BY table_name"));
  bool any = false;
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const bool more, result->NextBatch());
    if (!more) break;
    for (size_t row = 0; row < result->batch_size(); ++row)
      context.out.Write(result->Text(0, row) + "\n");
    any = true;
  }
  if (any || argument.empty()) return {};
  return Fail(NotFound("DELTA_TABLE_NOT_FOUND",
                       fmt::format("there is no table '{}'; .tables lists them", argument),
                       "42P01"));
}

Status Mode(std::string_view argument, ShellContext& context) {
  const auto format = ParseOutputFormat(argument);
  if (!format)
    return Fail(
        WrongUsage(fmt::format(".mode takes one of {}", fmt::join(OutputFormatNames(), ", "))));
  context.runner.set_format(*format);
  return {};
}

Status Timer(std::string_view argument, ShellContext& context) {
  if (argument != "on" && argument != "off") return Fail(WrongUsage(".timer takes on or off"));
  context.runner.set_timer(argument == "on");
  return {};
}

Status Quit(std::string_view, ShellContext& context) {
  context.quit = true;
  return {};
}

constexpr std::array kDotCommands{
    DotCommand{".help", "", "this list", Help},
    DotCommand{".mode", "FORMAT", "how results are written: table, json, jsonl, csv, markdown",
               Mode},
    DotCommand{".quit", "", "leave (also Ctrl-D)", Quit},
    DotCommand{".schema", "[TABLE]", "the statement that makes a table, or all", Schema},
    DotCommand{".tables", "", "the tables of the current schema", Tables},
    DotCommand{".timer", "on|off", "whether each statement's time is shown", Timer},
};

Status Help(std::string_view, ShellContext& context) {
  for (const DotCommand& command : kDotCommands) {
    context.out.Write(
        fmt::format("{:<8} {:<8} {}\n", command.name, command.arguments, command.summary));
  }
  context.out.Write(
      "A statement ends with a semicolon and may have many lines. Ctrl-C cancels it.\n");
  return {};
}

}  // namespace

bool IsDotCommand(std::string_view line) { return StartsWith(line, "."); }

Status RunDotCommand(std::string_view line, ShellContext& context) {
  const std::string_view text = Trim(line);
  const std::string_view name = text.substr(0, text.find_first_of(" \t"));
  for (const DotCommand& command : kDotCommands) {
    if (name != command.name) continue;
    Status status = command.run(Trim(text.substr(name.size())), context);
    context.out.Flush();
    return status;
  }
  return Fail(InvalidArgument("WEIR_UNKNOWN_SHELL_COMMAND",
                              fmt::format("there is no command '{}'; .help lists them", name)));
}

}  // namespace weir::cli
