// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/log/action_outline.h"
#include "cli/log/log_files.h"
#include "cli/number_checks.h"
#include "cli/output/output.h"
#include "cli/output/result_writer.h"
#include "cli/report.h"

namespace weir::cli {
namespace {

struct LogOptions {
  std::string table;
  std::optional<int64_t> version;
  std::string file;
  bool rows_of_vectors = false;
  std::string format = "table";
};

// The actions as an outline, or (json, jsonl) as they are.
void WriteLines(const std::vector<LogLine>& lines, const LogFiles& log, const LogOptions& options,
                Output& out) {
  const OutputFormat format = *ParseOutputFormat(options.format);
  const bool is_array = format == OutputFormat::kJson;
  if (is_array) out.Write("[");
  for (size_t i = 0; i < lines.size(); ++i) {
    if (is_array) {
      out.Write((i == 0 ? "" : ",\n ") + lines[i].text);
    } else if (format == OutputFormat::kJsonl) {
      out.Write(lines[i].text + "\n");
    } else {
      std::string outline;
      AppendOutline(lines[i], log, options.rows_of_vectors, outline);
      out.Write(outline);
    }
  }
  if (is_array) out.Write("]\n");
}

Status RunLog(const LogOptions& options, Output& out) {
  WEIR_ASSIGN_OR_RETURN(const LogFiles log, LogFiles::Open(options.table));
  if (!options.version && options.file.empty()) {
    WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<RowList> rows, log.Overview());
    return WriteResult(*rows, *ParseOutputFormat(options.format), out);
  }
  WEIR_ASSIGN_OR_RETURN(const std::vector<LogLine> lines,
                        options.version ? log.Commit(*options.version) : log.File(options.file));
  WriteLines(lines, log, options, out);
  return {};
}

}  // namespace

std::function<int()> DeclareLog(CLI::App& app) {
  auto options = std::make_shared<LogOptions>();
  app.add_option("table", options->table, "Path or URL of a table")->required();
  auto* version = app.add_option("--version", options->version, "Show the actions of this commit")
                      ->check(NonNegativeNumber());
  app.add_option(
         "--file,--checkpoint", options->file,
         "Show what this file holds: a commit, checkpoint, sidecar, compaction, .crc, deletion "
         "vector or data file, by its name in _delta_log, its path below the table, or any path")
      ->excludes(version);
  app.add_flag("--dv", options->rows_of_vectors,
               "With the actions, list the rows of deletion vectors");
  app.add_option(
         "--format", options->format,
         "How the overview is written; json and jsonl also give actions as they are in the log")
      ->check(CLI::IsMember(OutputFormatNames()))
      ->capture_default_str();
  app.footer(
      "Without --version and --file: what is in the log, version by version, the newest "
      "first.");
  return [options] { return FinishCommand([&](Output& out) { return RunLog(*options, out); }); };
}

}  // namespace weir::cli
