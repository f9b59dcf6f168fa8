// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

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

bool HasLog(storage::ObjectStore& store, const std::string& folder) {
  const auto log = store.List(storage::JoinPath(folder, "_delta_log"));
  return log && !log->empty();
}

// The tables of a warehouse folder: in it, and in its schemas.
Result<std::vector<std::string>> TablesBelow(storage::ObjectStore& store, const std::string& folder,
                                             int levels) {
  std::vector<std::string> tables;
  WEIR_ASSIGN_OR_RETURN(const auto children, store.ListDirectory(folder));
  for (const storage::ObjectInfo& child : children) {
    if (!child.is_directory) continue;
    if (HasLog(store, child.path)) {
      tables.push_back(child.path);
    } else if (levels > 1) {
      WEIR_ASSIGN_OR_RETURN(const auto below, TablesBelow(store, child.path, levels - 1));
      tables.insert(tables.end(), below.begin(), below.end());
    }
  }
  return tables;
}

// What to check: a name, a table's path, or the paths of all tables of a folder.
Result<std::vector<std::string>> Tables(const CheckCommandOptions& options) {
  const bool is_name =
      !options.engine.warehouse.empty() && options.table.find('/') == std::string::npos;
  if (is_name) return std::vector<std::string>{options.table};
  const std::string path = storage::NormalizeLocation(options.table);
  WEIR_ASSIGN_OR_RETURN(const auto store, storage::OpenStore(path));
  if (HasLog(*store, path)) return std::vector<std::string>{path};
  WEIR_ASSIGN_OR_RETURN(auto tables, TablesBelow(*store, path, 2));
  if (tables.empty()) tables.push_back(path);  // Its error says best what is missing.
  return tables;
}

constexpr const char* kMakeFindings =
    "CREATE TEMP TABLE weir_findings (\"table\" VARCHAR, rule VARCHAR, version BIGINT, "
    "file VARCHAR, problem VARCHAR, remedy VARCHAR, repairable BOOLEAN, repaired BOOLEAN)";

Status CheckOne(engine::Session& session, const std::string& table,
                const CheckCommandOptions& options) {
  const auto flag = [](bool value) { return value ? "true" : "false"; };
  return session.Execute("INSERT INTO temp.weir_findings SELECT * FROM weir_check(" +
                         QuoteLiteral(table) + ", quick => " + flag(options.quick) +
                         ", repair => " + flag(options.repair) + ")");
}

// One of many tables that cannot be checked at all keeps nobody from hearing of the others.
Status ReportError(engine::Session& session, const std::string& table, const Error& error) {
  return session.Execute("INSERT INTO temp.weir_findings VALUES (" + QuoteLiteral(table) +
                         ", 'checkable', NULL, NULL, " + QuoteLiteral(error.ToString()) +
                         ", 'the table could not be checked: see what the message names', "
                         "false, false)");
}

Status RunCheck(const CheckCommandOptions& options, Output& out, int64_t& open) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<std::string> tables, Tables(options));
  WEIR_ASSIGN_OR_RETURN(const Engine engine, OpenEngine(options.engine));
  WEIR_RETURN_IF_ERROR(engine.session->Execute(kMakeFindings));
  for (const std::string& table : tables) {
    const Status checked = CheckOne(*engine.session, table, options);
    if (checked) continue;
    if (tables.size() == 1) return checked;
    WEIR_RETURN_IF_ERROR(ReportError(*engine.session, table, checked.error()));
  }
  WEIR_ASSIGN_OR_RETURN(
      const auto count,
      engine.session->QueryInt64("SELECT count(*) FROM temp.weir_findings WHERE NOT repaired"));
  open = count.value_or(0);
  WEIR_ASSIGN_OR_RETURN(const auto findings, engine.session->Query("FROM temp.weir_findings"));
  return WriteResult(*findings, *ParseOutputFormat(options.format), out);
}

}  // namespace

std::function<int()> DeclareCheck(CLI::App& app) {
  auto options = std::make_shared<CheckCommandOptions>();
  app.add_option(
         "table", options->table,
         "Path or URL of a table, or of a folder of tables; with -w also the name of one in "
         "the warehouse")
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
