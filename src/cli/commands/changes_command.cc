// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "changes/arrow_ipc/ipc_writer.h"
#include "changes/change_metrics.h"
#include "changes/change_stream.h"
#include "changes/debezium.h"
#include "changes/feed_source.h"
#include "changes/prometheus.h"
#include "cli/changes/follow.h"
#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/engine_options.h"
#include "cli/interrupt.h"
#include "cli/number_checks.h"
#include "cli/output/output.h"
#include "cli/output/result_writer.h"
#include "cli/report.h"
#include "engine/result/arrow_stream.h"

namespace weir::cli {
namespace {

constexpr const char* kDebezium = "debezium";
constexpr const char* kParquet = "parquet";
constexpr const char* kArrow = "arrow";
constexpr const char* kPrometheus = "prometheus";

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
  bool consumers = false;
  bool follow = false;
  bool by_row_id = false;
  bool appends = false;
  std::string into;
  FollowOptions following;
};

std::vector<std::string> Formats() {
  auto formats = OutputFormatNames();
  formats.insert(formats.end(), {kParquet, kArrow, kDebezium, kPrometheus});
  return formats;
}

// A path unless there is a warehouse whose tables have names.
changes::FeedTable TableNamed(const ChangesOptions& options, const std::string& text) {
  return {text, options.engine.warehouse.empty() || text.find('/') != std::string::npos};
}

changes::FeedTable TableOf(const ChangesOptions& options) {
  return TableNamed(options, options.table);
}

changes::FeedReading ReadingOf(const ChangesOptions& options) {
  using Kind = changes::FeedReading::Kind;
  changes::FeedReading reading = options.following.reading;
  if (options.by_row_id) reading.kind = Kind::kRowIds;
  if (options.appends) reading.kind = Kind::kAppends;
  return reading;
}

Result<std::string> FirstVersion(const ChangesOptions& options, engine::Session& session) {
  if (options.from != "earliest") return changes::BoundSql(options.from);
  WEIR_ASSIGN_OR_RETURN(const auto log, changes::OpenLog(session, TableOf(options)));
  WEIR_ASSIGN_OR_RETURN(const int64_t version, changes::EarliestVersion(log));
  return std::to_string(version);
}

Result<changes::FeedRange> RangeOf(const ChangesOptions& options, engine::Session& session) {
  changes::FeedRange range;
  WEIR_ASSIGN_OR_RETURN(range.first, FirstVersion(options, session));
  if (!options.to.empty()) range.last = changes::BoundSql(options.to);
  return range;
}

Result<std::string> QueryOf(const ChangesOptions& options, engine::Session& session) {
  if (options.consumers) {
    return "FROM table_change_lag(" + changes::TableArgument(TableOf(options)) + ", offsets => " +
           QuoteLiteral(options.following.offsets) + ") ORDER BY consumer";
  }
  WEIR_ASSIGN_OR_RETURN(const changes::FeedRange range, RangeOf(options, session));
  if (options.stats) {
    return changes::MetricsQuery(TableOf(options), range,
                                 changes::ReadingOptions(ReadingOf(options), false));
  }
  std::string call_options = changes::ReadingOptions(ReadingOf(options), false);
  if (options.net) call_options += changes::NetOptions(options.keys);
  std::string feed = "FROM " + changes::ChangesCall(TableOf(options), range, call_options);
  // Row ids are compared in no order.
  if (options.by_row_id) feed += " ORDER BY _commit_version";
  if (options.format != kDebezium) return feed;
  return changes::DebeziumQuery(session, feed, options.table, options.keys, false);
}

Status WriteArrow(const std::string& sql, engine::Session& session, Output& out) {
  changes::ArrowIpcWriter writer([&](std::string_view bytes) { out.Write(bytes); });
  ArrowArrayStream rows;
  WEIR_RETURN_IF_ERROR(engine::QueryArrow(session, sql, &rows));
  const Status written = writer.Write(rows);
  rows.release(&rows);
  WEIR_RETURN_IF_ERROR(written);
  writer.End();
  out.Flush();
  return out.status();
}

Status WritePrometheus(const ChangesOptions& options, engine::Session& session, Output& out) {
  WEIR_ASSIGN_OR_RETURN(const changes::FeedRange range, RangeOf(options, session));
  WEIR_ASSIGN_OR_RETURN(const std::string text,
                        changes::PrometheusText(session, TableOf(options), range,
                                                changes::ReadingOptions(ReadingOf(options), false),
                                                options.following.offsets));
  out.Write(text);
  out.Flush();
  return out.status();
}

Status RunBatch(const ChangesOptions& options, engine::Session& session, Output& out) {
  const InterruptScope interrupt([&] { session.Interrupt(); });
  if (options.format == kPrometheus) return WritePrometheus(options, session, out);
  WEIR_ASSIGN_OR_RETURN(const std::string sql, QueryOf(options, session));
  if (options.format == kParquet) {
    return session.Execute("COPY (" + sql + ") TO " + QuoteLiteral(options.output) +
                           " (FORMAT parquet)");
  }
  if (options.format == kArrow) return WriteArrow(sql, session, out);
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
  options.following.reading = ReadingOf(options);
  if (!options.into.empty()) options.following.into = TableNamed(options, options.into);
  return Follow(options.following, *engine.session, out);
}

void CheckUsage(const ChangesOptions& options) {
  auto refuse = [](const std::string& message) { throw CLI::ValidationError(message); };
  if (!options.follow && !options.consumers && options.from.empty())
    refuse("--from is required without --follow: a version, a timestamp, or 'earliest'");
  if (options.follow && (!options.to.empty() || options.net || options.stats || options.consumers))
    refuse("--to, --net, --stats and --consumers have no meaning with --follow");
  if (options.net && (options.stats || options.consumers))
    refuse("--net is for changes, not for --stats and --consumers");
  if (options.format == kPrometheus && !options.stats) refuse("--format prometheus needs --stats");
  if (options.follow &&
      (options.format == "table" || options.format == "markdown" || options.format == "json"))
    refuse("--follow writes jsonl, csv, parquet, arrow or debezium");
  if (!options.into.empty() && (!options.follow || options.following.consumer.empty()))
    refuse("--into needs --follow and --consumer: the table remembers how far that consumer is");
  if (options.into.empty() && options.format == kParquet && options.output.empty())
    refuse("--format parquet needs --output: a file, or with --follow a folder");
  if (options.format != kParquet && !options.output.empty())
    refuse("--output is for --format parquet; the others write to standard output");
  if (!options.keys.empty() && !options.net && options.format != kDebezium && options.into.empty())
    refuse("--key needs --net, --into or --format debezium");
  const auto& policy = options.following.reading;
  if ((policy.ignore_deletes || policy.ignore_changes || policy.skip_change_commits) &&
      !options.appends)
    refuse("--ignore-deletes, --ignore-changes and --skip-change-commits need --appends");
  if (options.by_row_id && (options.appends || options.stats))
    refuse("--by-row-id goes with neither --appends nor --stats");
  if (options.following.available_now && !options.follow) refuse("--available-now needs --follow");
}

void DeclareReading(CLI::App& app, ChangesOptions& options) {
  auto& reading = options.following.reading;
  app.add_flag("--by-row-id", options.by_row_id,
               "Find changes by row tracking, where the change data feed is not on");
  app.add_flag(
      "--appends", options.appends,
      "Rows of added files instead of the change data feed, which need not be on; a commit "
      "that takes rows away is an error, but for");
  app.add_flag("--ignore-deletes", reading.ignore_deletes,
               "With --appends: pass over commits that only take rows away");
  app.add_flag(
      "--ignore-changes", reading.ignore_changes,
      "With --appends: of commits that also take rows away give all rows of the files that "
      "they add");
  app.add_flag("--skip-change-commits", reading.skip_change_commits,
               "With --appends: pass over commits that take rows away");
}

void DeclareFollow(CLI::App& app, ChangesOptions& options) {
  app.add_flag("--follow", options.follow,
               "Go on with every new commit until interrupted. Without --from: the table's rows "
               "first, then what changes");
  app.add_flag("--available-now", options.following.available_now,
               "With --follow: end when all there is has been read");
  app.add_option("--consumer", options.following.consumer,
                 "Name under which --follow keeps how far it has come, and goes on from there");
  app.add_option("--into", options.into,
                 "With --follow: the Delta table that takes the changes, each exactly once; with "
                 "--key it is kept equal to the followed one");
  app.add_option("--offsets", options.following.offsets, "Folder of the consumers' offsets")
      ->capture_default_str();
  app.add_option("--poll", options.following.poll_seconds, "Seconds between looks for new commits")
      ->check(PositiveNumber())
      ->capture_default_str();
  app.add_option("--max-files", options.following.max_files, "Most files in one batch of commits")
      ->check(PositiveNumber())
      ->capture_default_str();
  app.add_option("--max-bytes", options.following.max_bytes, "Most bytes in one batch of commits")
      ->check(PositiveNumber())
      ->capture_default_str();
  app.add_option("--max-rows", options.following.max_rows,
                 "Most changes in one batch of commits; where the log does not tell, they are "
                 "counted")
      ->check(PositiveNumber());
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
  app.add_flag("--consumers", options->consumers,
               "How far the named consumers of the table are behind it, instead of the changes");
  DeclareReading(app, *options);
  DeclareFollow(app, *options);
  return [options] {
    CheckUsage(*options);
    return FinishCommand([&](Output& out) { return RunChanges(*options, out); });
  };
}

}  // namespace weir::cli
