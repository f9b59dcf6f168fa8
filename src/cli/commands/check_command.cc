// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/engine_options.h"
#include "cli/output/output.h"
#include "cli/output/result_writer.h"
#include "cli/report.h"
#include "storage/object_store.h"

namespace weir::cli {
namespace {

struct CheckCommandOptions {
  EngineOptions engine;
  std::string table;
  bool quick = false;
  bool repair = false;
  std::string format = "table";
};

// A name within the warehouse, or a path: with a warehouse a text without a slash is a name.
std::string TableArgument(const CheckCommandOptions& options) {
  const bool is_name =
      !options.engine.warehouse.empty() && options.table.find('/') == std::string::npos;
  return QuoteLiteral(is_name ? options.table : storage::NormalizeLocation(options.table));
}

Status RunCheck(const CheckCommandOptions& options, Output& out, int64_t& open) {
  WEIR_ASSIGN_OR_RETURN(const Engine engine, OpenEngine(options.engine));
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  WEIR_RETURN_IF_ERROR(engine.session->Execute(
      "CREATE TEMP TABLE weir_findings AS SELECT * FROM weir_check(" + TableArgument(options) +
      ", quick => " + flag(options.quick) + ", repair => " + flag(options.repair) + ")"));
  WEIR_ASSIGN_OR_RETURN(const auto count,
                        engine.session->QueryInt64("SELECT count(*) FROM "
                                                   "temp.weir_findings WHERE NOT repaired"));
  open = count.value_or(0);
  WEIR_ASSIGN_OR_RETURN(const auto findings, engine.session->Query("FROM temp.weir_findings"));
  return WriteResult(*findings, *ParseOutputFormat(options.format), out);
}

}  // namespace

std::function<int()> DeclareCheck(CLI::App& app) {
  auto options = std::make_shared<CheckCommandOptions>();
  app.add_option("table", options->table,
                 "Path or URL of a table; with -w also the name of one in the warehouse")
      ->required();
  app.add_flag("--quick", options->quick, "Check the log and that files are there, read no rows");
  app.add_flag("--repair", options->repair,
               "Mend what can be mended without losing a row that could still be read");
  options->engine.DeclareWithWarehouse(app);
  app.add_option("--format", options->format,
                 "How findings are written: table, json, jsonl, csv or markdown")
      ->check(CLI::IsMember(OutputFormatNames()))
      ->capture_default_str();
  app.footer("Exit status: 0 nothing is wrong (any more), 1 there are findings.");
  return [options] {
    int64_t open = 0;
    const int status = FinishCommand([&](Output& out) { return RunCheck(*options, out, open); });
    return status == kDone && open > 0 ? static_cast<int>(kFailed) : status;
  };
}

}  // namespace weir::cli
