// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/engine_options.h"
#include "cli/feed_progress.h"
#include "cli/interrupt.h"
#include "cli/output/result_writer.h"
#include "cli/output/row_list.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "feed/checks/checks.h"
#include "feed/config/project_template.h"
#include "feed/load/fold.h"
#include "feed/load/load.h"
#include "feed/views/read_objects.h"

namespace weir::cli {
namespace {

struct FeedOptions {
  EngineOptions engine;
  std::string project;
  std::string name;
  std::vector<std::string> tables;
  feed::LoadOptions load;
  std::string dialect = "duckdb";
  std::string target;
  std::string format = "table";
  bool script = false;
  bool fix = false;
};

using Options = std::shared_ptr<FeedOptions>;

Result<feed::FeedProject> Project(const FeedOptions& options) {
  std::error_code failure;
  WEIR_ASSIGN_OR_RETURN(const auto file,
                        feed::FindProject(options.project, std::filesystem::current_path(failure)));
  return feed::LoadProject(file);
}

int RunInit(const FeedOptions& options) {
  std::error_code failure;
  const auto files = feed::MakeFeedProject(std::filesystem::current_path(failure), options.name);
  if (!files) {
    ReportError(files.error());
    return kFailed;
  }
  for (const std::string& file : *files)
    std::fprintf(stderr, "  %s/%s\n", options.name.c_str(), file.c_str());
  std::fprintf(stderr, "Next: cd %s && weir feed load\n", options.name.c_str());
  return kDone;
}

// The exit status: failed when any table has.
Result<bool> Load(const FeedOptions& options) {
  WEIR_ASSIGN_OR_RETURN(const feed::FeedProject project, Project(options));
  WEIR_ASSIGN_OR_RETURN(const auto tables, feed::SelectTables(project, options.tables));
  WEIR_ASSIGN_OR_RETURN(const Engine engine, OpenEngine(options.engine));
  feed::LoadResult result;
  {
    FeedProgress progress(tables.size(), ProgressDisplay::IsUseful());
    WEIR_ASSIGN_OR_RETURN(
        result, feed::LoadTables(*engine.database, project, tables, options.load, progress));
  }
  bool ok = true;
  for (const auto& table : result.tables) ok &= !table.error;
  for (const std::string& warning : result.warnings)
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  std::fprintf(stderr, "run %s %s\n", result.run_id.c_str(), ok ? "done" : "FAILED");
  return ok;
}

Status Reset(const FeedOptions& options, Output&) {
  WEIR_ASSIGN_OR_RETURN(const feed::FeedProject project, Project(options));
  WEIR_ASSIGN_OR_RETURN(const auto tables, feed::SelectTables(project, options.tables));
  WEIR_ASSIGN_OR_RETURN(const Engine engine, OpenEngine(options.engine));
  WEIR_ASSIGN_OR_RETURN(const auto reset, feed::ResetIndexes(*engine.database, project, tables));
  for (const std::string& index : reset)
    std::fprintf(stderr, "%s dropped; the next load sends all rows\n", index.c_str());
  if (reset.empty()) std::fprintf(stderr, "there was no index to reset\n");
  return {};
}

Status Views(const FeedOptions& options, Output& out) {
  constexpr const char* kDialects[] = {"duckdb", "spark", "tsql", "fabric"};
  int dialect = 0;
  while (options.dialect != kDialects[dialect]) ++dialect;
  WEIR_ASSIGN_OR_RETURN(const feed::FeedProject project, Project(options));
  WEIR_ASSIGN_OR_RETURN(const auto tables, feed::SelectTables(project, options.tables));
  WEIR_ASSIGN_OR_RETURN(const Engine engine, OpenEngine(options.engine));
  WEIR_ASSIGN_OR_RETURN(const auto session, feed::OpenWarehouse(*engine.database, project, false));
  WEIR_ASSIGN_OR_RETURN(
      const std::string script,
      feed::ReadObjectScript(*session, project, tables, static_cast<feed::Dialect>(dialect)));
  out.Write(script);
  return {};
}

Status Fold(const FeedOptions& options, Output&) {
  WEIR_ASSIGN_OR_RETURN(const feed::FeedProject project, Project(options));
  WEIR_ASSIGN_OR_RETURN(const auto tables, feed::SelectTables(project, {options.name}));
  WEIR_ASSIGN_OR_RETURN(const Engine engine, OpenEngine(options.engine));
  WEIR_ASSIGN_OR_RETURN(const feed::FoldReport report,
                        feed::FoldFeed(*engine.database, project, *tables[0], options.target));
  std::fprintf(stderr, "%s into %s: %lld rows folded from %lld file(s)%s\n",
               tables[0]->display().c_str(), options.target.c_str(),
               static_cast<long long>(report.rows), static_cast<long long>(report.files),
               report.anew ? ", anew" : "");
  return {};
}

Result<bool> Check(const FeedOptions& options) {
  WEIR_ASSIGN_OR_RETURN(const feed::FeedProject project, Project(options));
  WEIR_ASSIGN_OR_RETURN(const Engine engine, OpenEngine(options.engine));
  WEIR_ASSIGN_OR_RETURN(const auto findings, feed::CheckFeed(*engine.database, project));
  bool fixed = true;
  Status written;
  const int status = FinishCommand([&](Output& out) -> Status {
    if (options.script) {
      for (const feed::Finding& finding : findings) out.Write(finding.script);
      return {};
    }
    RowList rows({{"check", "VARCHAR"},
                  {"table", "VARCHAR"},
                  {"finding", "VARCHAR"},
                  {"since", "VARCHAR"},
                  {"repair", "VARCHAR"}});
    for (const feed::Finding& finding : findings) {
      const auto cell = [](const std::string& text) {
        return text.empty() ? RowList::Cell() : RowList::Cell(text);
      };
      rows.Add({finding.check, cell(finding.table), finding.message, cell(finding.since),
                cell(finding.repair)});
    }
    return WriteResult(rows, *ParseOutputFormat(options.format), out);
  });
  if (options.fix && !findings.empty()) {
    WEIR_ASSIGN_OR_RETURN(const auto left, feed::FixFeed(*engine.database, project, findings));
    for (const std::string& line : left) std::fprintf(stderr, "%s\n", line.c_str());
    WEIR_ASSIGN_OR_RETURN(const auto now, feed::CheckFeed(*engine.database, project));
    fixed = now.empty();
    std::fprintf(stderr, "%zu finding(s) before, %zu now\n", findings.size(), now.size());
  } else {
    fixed = findings.empty();
  }
  return fixed && status == kDone;
}

int ExitStatusOf(const Result<bool>& ok) {
  if (!ok) ReportError(ok.error());
  return ok && *ok ? kDone : kFailed;
}

CLI::App* Subcommand(CLI::App& app, const Options& options, std::function<int()>& chosen,
                     const char* name, const char* summary, std::function<int()> run) {
  CLI::App* command = app.add_subcommand(name, summary);
  command->callback([&chosen, run = std::move(run)] { chosen = run; });
  if (std::string(name) != "init") {
    command->add_option("--project", options->project,
                        "The feed's file (default: feed.yml here or above)");
  }
  return command;
}

void TablesOption(CLI::App* command, const Options& options, const char* what) {
  command->add_option(
      "tables", options->tables,
      std::string(what) + ", as Table, Schema.Table or Source_Schema_Table (default: all)");
}

}  // namespace

std::function<int()> DeclareFeed(CLI::App& app) {
  auto options = std::make_shared<FeedOptions>();
  auto chosen = std::make_shared<std::function<int()>>();
  app.require_subcommand(1);
  auto* init = Subcommand(app, options, *chosen, "init", "Make a feed project that runs as it is",
                          [options] { return RunInit(*options); });
  init->add_option("name", options->name, "The project's name; its folder is made here")
      ->required();

  auto* load = Subcommand(app, options, *chosen, "load", "Load tables: one run",
                          [options] { return ExitStatusOf(Load(*options)); });
  TablesOption(load, options, "Tables to load");
  load->add_option("--run-id", options->load.run_id,
                   "The run's name in file names; the last run may be repeated under its own");
  load->add_flag("--full", options->load.full,
                 "DELTA and DELTAIMAGE bring the whole table this once, as RELOAD does");
  options->engine.Declare(*load);

  auto* reset = Subcommand(
      app, options, *chosen, "reset", "Drop the index: the next load sends all rows again",
      [options] { return FinishCommand([&](Output& out) { return Reset(*options, out); }); });
  TablesOption(reset, options, "Tables to reset");

  auto* views = Subcommand(
      app, options, *chosen, "views", "Print the read objects as SQL",
      [options] { return FinishCommand([&](Output& out) { return Views(*options, out); }); });
  TablesOption(views, options, "Tables to print");
  views->add_option("--dialect", options->dialect, "duckdb, spark, tsql or fabric")
      ->check(CLI::IsMember({"duckdb", "spark", "tsql", "fabric"}))
      ->capture_default_str();

  auto* check = Subcommand(app, options, *chosen, "check",
                           "Check the health of the feed; exit status 1 when something is wrong",
                           [options] { return ExitStatusOf(Check(*options)); });
  auto* script = check->add_flag("--script", options->script, "Print the repair scripts alone");
  check->add_flag("--fix", options->fix, "Repair what is found")->excludes(script);
  check->add_option("--format", options->format, "How findings are written")
      ->check(CLI::IsMember(OutputFormatNames()))
      ->capture_default_str();

  auto* fold = Subcommand(
      app, options, *chosen, "fold", "Fold a table's feed into a Delta table: TABLE INTO TARGET",
      [options] { return FinishCommand([&](Output& out) { return Fold(*options, out); }); });
  fold->add_option("table", options->name, "The table whose feed is folded")->required();
  auto into = std::make_shared<std::string>();
  fold->add_option("into", *into, "The word INTO")
      ->required()
      ->check([into](const std::string& word) {
        return word == "INTO" || word == "into" ? std::string() : "expected INTO";
      });
  fold->add_option("target", options->target, "A table of the warehouse: t or schema.t")
      ->required();
  return [chosen] { return (*chosen)(); };
}

}  // namespace weir::cli
