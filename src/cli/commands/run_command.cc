// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "cli/command.h"
#include "cli/commands/commands.h"
#include "cli/engine_options.h"
#include "cli/interrupt.h"
#include "cli/number_checks.h"
#include "cli/report.h"
#include "cli/run_progress.h"
#include "pipeline/runs/event_log.h"
#include "pipeline/runs/event_table.h"
#include "pipeline/runs/run.h"
#include "pipeline/runs/weir_store.h"
#include "storage/remote_store.h"

namespace weir::cli {
namespace {

struct RunCommandOptions {
  EngineOptions engine;
  std::string spec;
  pipeline::RunOptions run;
  std::string engine_name = "weir";
  pipeline::SparkOptions spark;
  bool continuous = false;
  double interval = 10;  ///< Seconds between two runs.
  size_t parallel = 4;
};

/// Tells the terminal and the event log.
class Observers final : public pipeline::RunObserver {
 public:
  explicit Observers(std::vector<pipeline::RunObserver*> all) : all_(std::move(all)) {}

  void RunStarted(const std::string& run_id,
                  const std::vector<pipeline::FlowProgress>& flows) override {
    for (auto* observer : all_) observer->RunStarted(run_id, flows);
  }
  void FlowChanged(const pipeline::FlowProgress& flow) override {
    for (auto* observer : all_) observer->FlowChanged(flow);
  }
  void BatchFinished(const pipeline::FlowProgress& flow,
                     const pipeline::BatchReport& batch) override {
    for (auto* observer : all_) observer->BatchFinished(flow, batch);
  }
  void RunFinished(const std::vector<pipeline::FlowProgress>& flows, double seconds) override {
    for (auto* observer : all_) observer->RunFinished(flows, seconds);
  }

 private:
  std::vector<pipeline::RunObserver*> all_;
};

Result<std::filesystem::path> SpecFile(const std::string& given) {
  if (!given.empty()) return std::filesystem::path(given);
  std::error_code failure;
  return pipeline::FindSpec(std::filesystem::current_path(failure));
}

/// Makes the warehouse's folder; a dry run makes none and looks at an empty one instead.
Status AttachWarehouse(engine::Session& session, const pipeline::PipelineSpec& spec, bool dry_run) {
  std::error_code failure;
  const bool is_remote = storage::IsRemoteLocation(spec.warehouse.string());
  if (dry_run && !is_remote && !std::filesystem::is_directory(spec.warehouse, failure)) {
    return session.Execute("ATTACH ':memory:' AS " + QuoteIdentifier(spec.catalog) + "; USE " +
                           QuoteIdentifier(spec.catalog));
  }
  if (!is_remote) std::filesystem::create_directories(spec.warehouse, failure);
  if (failure)
    return Fail(IoError("WEIR_IO_ERROR", spec.warehouse.string() + ": " + failure.message()));
  WEIR_RETURN_IF_ERROR(session.AttachWarehouse(spec.warehouse.string(), spec.catalog));
  return session.Execute("CREATE SCHEMA IF NOT EXISTS " + QuoteIdentifier(spec.database));
}

/// Set by SIGTERM and Ctrl-C.
std::atomic<bool> stop_asked{false};

bool DidSomething(const pipeline::RunResult& result) {
  return !result.ok() ||
         std::ranges::any_of(result.flows, [](const auto& flow) { return flow.batches > 0; });
}

/// One run, and its events into the Delta table. The table is for looking back: when it cannot be
/// written, the run is not undone by it.
Result<pipeline::RunResult> RunOnce(const RunCommandOptions& options,
                                    const pipeline::PipelineSpec& spec, const Engine& engine) {
  WEIR_ASSIGN_OR_RETURN(const auto planning, engine.database->Connect());
  RunProgress progress(spec.name, options.run.dry_run, ::isatty(STDERR_FILENO) != 0,
                       options.continuous);
  pipeline::EventLog log(spec.storage, options.continuous);
  std::vector<pipeline::RunObserver*> all = {&progress};
  if (!options.run.dry_run) all.push_back(&log);
  Observers observers(std::move(all));
  const auto make_store = [](engine::Session& session) {
    return std::make_unique<pipeline::WeirStore>(session);
  };
  WEIR_ASSIGN_OR_RETURN(
      pipeline::RunResult result,
      pipeline::RunPipeline(spec, options.run, *engine.session, *planning, make_store, observers));
  if (options.run.dry_run || !DidSomething(result)) return result;
  const Status logged =
      pipeline::AppendEventTable(*engine.session, spec.storage, log.file(), result.run_id);
  if (!logged) ReportError(logged.error().WithContext("the event log's table was not written"));
  return result;
}

/// Waits for the next trigger, or less when a stop is asked for.
void WaitForTrigger(double seconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!stop_asked && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

/// The sessions of the flows that run at once, for all runs of the process; Ctrl-C reaches them.
class FlowSessions {
 public:
  explicit FlowSessions(const Engine& engine) : engine_(engine) {}

  /// `worker` counts from 1.
  Result<engine::Session*> Get(size_t worker) {
    const std::lock_guard<std::mutex> guard(mutex_);
    while (open_.size() < worker) {
      WEIR_ASSIGN_OR_RETURN(auto session, engine_.database->Connect());
      open_.push_back(std::move(session));
    }
    return open_[worker - 1].get();
  }

  void Interrupt() {
    const std::lock_guard<std::mutex> guard(mutex_);
    engine_.session->Interrupt();
    for (const auto& session : open_) session->Interrupt();
  }

 private:
  const Engine& engine_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<engine::Session>> open_;
};

Result<bool> RunProject(RunCommandOptions options) {
  WEIR_ASSIGN_OR_RETURN(const std::filesystem::path file, SpecFile(options.spec));
  WEIR_ASSIGN_OR_RETURN(const pipeline::PipelineSpec spec, pipeline::LoadSpec(file));
  WEIR_ASSIGN_OR_RETURN(const Engine engine, OpenEngine(options.engine));
  WEIR_RETURN_IF_ERROR(AttachWarehouse(*engine.session, spec, options.run.dry_run));
  options.run.stop = &stop_asked;
  std::optional<pipeline::SparkEngine> spark;
  if (options.engine_name == "spark") {
    spark.emplace(options.spark, spec.storage / "spark.log");
    options.run.spark = &*spark;
  }
  // Spark runs one batch at a time.
  options.run.parallel = spark ? 1 : options.parallel;
  FlowSessions sessions(engine);
  options.run.connect = [&](size_t worker) { return sessions.Get(worker); };
  std::signal(SIGTERM, [](int) { stop_asked = true; });
  const InterruptScope interrupt([&] {
    stop_asked = true;
    sessions.Interrupt();
  });
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const pipeline::RunResult result, RunOnce(options, spec, engine));
    if (!options.continuous || stop_asked) return result.ok();
    // What was asked for once is not asked for again.
    options.run.full_refresh.clear();
    options.run.full_refresh_all = false;
    WaitForTrigger(options.interval);
    if (stop_asked) return result.ok();
  }
}

}  // namespace

std::function<int()> DeclareRun(CLI::App& app) {
  auto options = std::make_shared<RunCommandOptions>();
  options->engine.Declare(app);
  app.add_option("--spec", options->spec,
                 "The pipeline's spec (default: spark-pipeline.yml here or above)");
  app.add_option("--full-refresh", options->run.full_refresh, "Tables to empty and fill again, a,b")
      ->delimiter(',')
      ->take_all();
  app.add_flag("--full-refresh-all", options->run.full_refresh_all,
               "Empty and fill again every table");
  app.add_option("--refresh", options->run.refresh, "The only tables to bring up to date, a,b")
      ->delimiter(',')
      ->take_all();
  app.add_flag("--dry-run", options->run.dry_run, "Check everything, run nothing");
  app.add_option("--parallel", options->parallel, "Flows that may run at once")
      ->check(PositiveNumber())
      ->capture_default_str();
  auto* engine = app.add_option("--engine", options->engine_name,
                                "What runs the batches: weir, or spark with the package pyspark")
                     ->check(CLI::IsMember({"weir", "spark"}))
                     ->capture_default_str();
  auto* master = app.add_option("--master", options->spark.master,
                                "Spark's master: local[4], spark://host:7077, yarn (default: "
                                "local[*], or what spark-defaults.conf says)");
  master->needs(engine);
  app.add_option("--remote", options->spark.remote, "A Spark Connect server instead: sc://host")
      ->needs(engine)
      ->excludes(master);
  app.add_option("--spark-conf", options->spark.settings, "A setting of Spark, KEY=VALUE")
      ->needs(engine)
      ->take_all();
  auto* continuous =
      app.add_flag("--continuous", options->continuous,
                   "Run again and again until SIGTERM or Ctrl-C; the batch at work is finished");
  app.add_option("--interval", options->interval, "Seconds between two runs of --continuous")
      ->needs(continuous)
      ->check(PositiveNumber())
      ->capture_default_str();
  return [options] {
    const Result<bool> ok = RunProject(*options);
    if (!ok) {
      ReportError(ok.error());
      return static_cast<int>(kFailed);
    }
    return static_cast<int>(*ok ? kDone : kFailed);
  };
}

}  // namespace weir::cli
