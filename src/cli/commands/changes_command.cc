// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "changes/change_metrics.h"
#include "changes/debezium.h"
#include "changes/feed_source.h"
#include "cli/changes/follow.h"
#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/engine_options.h"
#include "cli/interrupt.h"
#include "cli/output/output.h"
#include "cli/output/result_writer.h"
#include "cli/report.h"

namespace weir::cli {
namespace {

constexpr const char* kDebezium = "debezium";
constexpr const char* kParquet = "parquet";

struct ChangesOptions {
  EngineOptions engine;
  std::string table;
  std::string from;
  std::string to;
  std::string format = "jsonl";
  std::string output;
  std::vector<std::string> keys;
  bool net = false;
  bool stats = false;
  bool follow = false;
  FollowOptions following;
};

std::vector<std::string> Formats() {
  auto formats = OutputFormatNames();
  formats.insert(formats.end(), {kParquet, kDebezium});
  return formats;
}

// A path unless there is a warehouse whose tables have names.
changes::FeedTable TableOf(const ChangesOptions& options) {
  const bool is_path =
      options.engine.warehouse.empty() || options.table.find('/') != std::string::npos;
  return {options.table, is_path};
}

Result<std::string> FirstVersion(const ChangesOptions& options, engine::Session& session) {
  if (options.from != "earliest") return changes::BoundSql(options.from);
  WEIR_ASSIGN_OR_RETURN(const auto version,
                        session.QueryInt64("SELECT min(version) FROM weir_history(" +
                                           changes::TableArgument(TableOf(options)) + ")"));
  return std::to_string(version.value_or(0));
}

Result<std::string> QueryOf(const ChangesOptions& options, engine::Session& session) {
  changes::FeedRange range;
  WEIR_ASSIGN_OR_RETURN(range.first, FirstVersion(options, session));
  if (!options.to.empty()) range.last = changes::BoundSql(options.to);
  if (options.stats) return changes::MetricsQuery(TableOf(options), range);
  const bool is_net = options.net && options.format != kDebezium;
  const std::string feed =
      "FROM " + changes::ChangesCall(TableOf(options), range,
                                     is_net ? changes::NetOptions(options.keys) : std::string());
  if (options.format != kDebezium) return feed;
  return changes::DebeziumQuery(session, feed, options.table, options.keys, false);
}

Status RunBatch(const ChangesOptions& options, engine::Session& session, Output& out) {
  const InterruptScope interrupt([&] { session.Interrupt(); });
  WEIR_ASSIGN_OR_RETURN(const std::string sql, QueryOf(options, session));
  if (options.format == kParquet) {
    return session.Execute("COPY (" + sql + ") TO " + QuoteLiteral(options.output) +
                           " (FORMAT parquet)");
  }
  WEIR_ASSIGN_OR_RETURN(const auto result, session.Query(sql));
  const std::string format = options.format == kDebezium ? "jsonl" : options.format;
  return WriteResult(*result, *ParseOutputFormat(format), out);
}

Status RunChanges(ChangesOptions& options, Output& out) {
  WEIR_ASSIGN_OR_RETURN(const Engine engine, OpenEngine(options.engine));
  if (!options.follow) return RunBatch(options, *engine.session, out);
  options.following.table = TableOf(options);
  options.following.from = options.from;
  options.following.format = options.format;
  options.following.output = options.output;
  options.following.keys = options.keys;
  return Follow(options.following, *engine.session, out);
}

void CheckUsage(const ChangesOptions& options) {
  auto refuse = [](const std::string& message) { throw CLI::ValidationError(message); };
  if (!options.follow && options.from.empty())
    refuse("--from is required without --follow: a version, a timestamp, or 'earliest'");
  if (options.follow && (!options.to.empty() || options.net || options.stats))
    refuse("--to, --net and --stats have no meaning with --follow");
  if (options.follow &&
      (options.format == "table" || options.format == "markdown" || options.format == "json"))
    refuse("--follow writes jsonl, csv, parquet or debezium");
  if (options.format == kParquet && options.output.empty())
    refuse("--format parquet needs --output: a file, or with --follow a folder");
  if (options.format != kParquet && !options.output.empty())
    refuse("--output is for --format parquet; the others write to standard output");
  if (!options.keys.empty() && !options.net && options.format != kDebezium)
    refuse("--key needs --net or --format debezium");
  if (options.following.available_now && !options.follow) refuse("--available-now needs --follow");
}

void DeclareFollow(CLI::App& app, ChangesOptions& options) {
  app.add_flag("--follow", options.follow,
               "Go on with every new commit until interrupted. Without --from: the table's rows "
               "first, then what changes");
  app.add_flag("--available-now", options.following.available_now,
               "With --follow: end when all there is has been read");
  app.add_option("--consumer", options.following.consumer,
                 "Name under which --follow keeps how far it has come, and goes on from there");
  app.add_option("--offsets", options.following.offsets, "Folder of the consumers' offsets")
      ->capture_default_str();
  app.add_option("--poll", options.following.poll_seconds, "Seconds between looks for new commits")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--max-files", options.following.max_files, "Most files in one batch of commits")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--max-bytes", options.following.max_bytes, "Most bytes in one batch of commits")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

}  // namespace

std::function<int()> DeclareChanges(CLI::App& app) {
  auto options = std::make_shared<ChangesOptions>();
  app.add_option("table", options->table, "Name of a table in the warehouse, or a path or URL")
      ->required();
  options->engine.DeclareWithWarehouse(app);
  app.add_option(
      "--from", options->from,
      "First version or timestamp, inclusive; or 'earliest', with --follow also 'latest'");
  app.add_option("--to", options->to,
                 "Last version or timestamp, inclusive (default: the newest version)");
  app.add_option("--format", options->format, "How changes are written")
      ->check(CLI::IsMember(Formats()))
      ->capture_default_str();
  app.add_option("--output", options->output, "Where --format parquet writes");
  app.add_flag("--net", options->net,
               "Only what the range has changed in all: rows that came and went are left out");
  app.add_option("--key", options->keys,
                 "Columns that identify a row: pairs both images of an update")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--stats", options->stats,
               "How much has changed, by commit and in all, instead of the changes");
  DeclareFollow(app, *options);
  return [options] {
    CheckUsage(*options);
    return FinishCommand([&](Output& out) { return RunChanges(*options, out); });
  };
}

}  // namespace weir::cli
