// SPDX-License-Identifier: Apache-2.0
#include "pipeline/runs/run.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

#include "base/file_lock.h"
#include "base/text.h"
#include "base/uuid.h"
#include "pipeline/flows/auto_cdc_plan.h"
#include "pipeline/flows/sql_text.h"
#include "pipeline/runs/flow_run.h"
#include "pipeline/runs/table_schedule.h"
#include "pipeline/spec/python_files.h"
#include "pipeline/spec/sql_file.h"

namespace weir::pipeline {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr const char* kRefreshMarker = "_refresh";

/// What happens to each table of the graph.
struct Selection {
  std::set<size_t> run;
  std::set<size_t> full_refresh;
};

/// What one flow at a time runs with.
struct Worker {
  engine::Session* session = nullptr;
  std::unique_ptr<TableStore> store;
};

Result<size_t> FindTable(const Graph& graph, const std::string& written) {
  WEIR_ASSIGN_OR_RETURN(std::vector<sql::Token> tokens, sql::Tokenize(written));
  sql::TokenReader reader(written, std::move(tokens), "the name");
  WEIR_ASSIGN_OR_RETURN(const QualifiedName name, reader.ExpectQualifiedName("a table's name"));
  const std::optional<size_t> dataset = graph.Find(name);
  if (dataset && graph.datasets()[*dataset].is_table()) return *dataset;
  std::string known;
  for (const GraphDataset& other : graph.datasets()) {
    if (other.is_table()) known += (known.empty() ? "" : ", ") + other.declared.name.ToString();
  }
  return Fail(
      InvalidArgument("WEIR_PIPELINE_TABLE_UNKNOWN",
                      "`" + written + "` is no table of this pipeline; there are " + known));
}

/// Keeps a second run of the pipeline out, as long as the lock lives.
Result<std::optional<FileLock>> LockStorage(const std::filesystem::path& storage) {
  const std::filesystem::path file = storage / "run.lock";
  std::string holder;
  WEIR_ASSIGN_OR_RETURN(auto lock, FileLock::TryAcquire(file, holder));
  if (lock) return lock;
  return Fail(ConflictRetryable(
      "WEIR_PIPELINE_ALREADY_RUNNING",
      "this pipeline is being run by " + holder + " (" + file.string() + "); wait for its end"));
}

class Run {
 public:
  Run(const PipelineSpec& spec, const RunOptions& options, engine::Session& session,
      engine::Session& planning, const StoreFactory& make_store, RunObserver& observer)
      : spec_(spec),
        options_(options),
        session_(session),
        planning_(planning),
        make_store_(make_store),
        store_(make_store(session)),
        observer_(observer) {}

  Result<RunResult> Execute() {
    const auto start = SteadyClock::now();
    result_.run_id = Uuid::Random().ToString();
    WEIR_ASSIGN_OR_RETURN(const Definitions definitions, LoadDefinitions(spec_));
    WEIR_ASSIGN_OR_RETURN(graph_, Graph::Build(definitions, spec_, session_));
    WEIR_RETURN_IF_ERROR(Select());
    std::optional<FileLock> lock;
    if (!options_.dry_run) {
      WEIR_ASSIGN_OR_RETURN(lock, LockStorage(spec_.storage));
      WEIR_RETURN_IF_ERROR(FindBegunRefreshes());
    }
    WEIR_RETURN_IF_ERROR(Analyse());
    ListFlows();
    observer_.RunStarted(result_.run_id, result_.flows);
    if (!options_.dry_run) {
      WEIR_RETURN_IF_ERROR(OpenWorkers());
      RunInOrder(*graph_, selection_.run, workers_.size(),
                 [this](size_t worker, size_t table) { RunTable(workers_[worker], table); });
    }
    result_.seconds = SecondsSince(start);
    observer_.RunFinished(result_.flows, result_.seconds);
    return std::move(result_);
  }

 private:
  static double SecondsSince(SteadyClock::time_point start) {
    return std::chrono::duration<double>(SteadyClock::now() - start).count();
  }

  Status Select() {
    if (options_.full_refresh_all &&
        (!options_.full_refresh.empty() || !options_.refresh.empty())) {
      return Fail(InvalidArgument(
          "CONFLICTING_PIPELINE_REFRESH_OPTIONS",
          "--full-refresh-all refreshes every table, so --full-refresh and --refresh cannot "
          "be given beside it"));
    }
    for (const std::string& name : options_.full_refresh) {
      WEIR_ASSIGN_OR_RETURN(const size_t table, FindTable(*graph_, name));
      selection_.full_refresh.insert(table);
      selection_.run.insert(table);
    }
    for (const std::string& name : options_.refresh) {
      WEIR_ASSIGN_OR_RETURN(const size_t table, FindTable(*graph_, name));
      selection_.run.insert(table);
    }
    const bool all = selection_.run.empty();
    for (size_t at = 0; at < graph_->datasets().size(); ++at) {
      if (!graph_->datasets()[at].is_table()) continue;
      if (all) selection_.run.insert(at);
      if (options_.full_refresh_all) selection_.full_refresh.insert(at);
    }
    return {};
  }

  std::string MarkerOf(size_t table) const {
    return storage::JoinPath(CheckpointFolder(spec_, graph_->datasets()[table]), kRefreshMarker);
  }

  /// A full refresh that did not get as far as emptying its table is begun again.
  Status FindBegunRefreshes() {
    WEIR_ASSIGN_OR_RETURN(const auto store, storage::OpenStore(spec_.storage.string()));
    for (size_t table : selection_.run) {
      const auto marker = store->Head(MarkerOf(table));
      if (marker) selection_.full_refresh.insert(table);
      if (!marker && marker.error().kind != ErrorKind::kNotFound) return Fail(marker.error());
    }
    return {};
  }

  /// Types every query over tables without rows, in a catalog of its own beside the real one.
  Status Analyse() {
    WEIR_RETURN_IF_ERROR(
        planning_.Execute("ATTACH IF NOT EXISTS ':memory:' AS __weir_plan; USE __weir_plan"));
    WEIR_RETURN_IF_ERROR(planning_.Execute("CREATE SCHEMA IF NOT EXISTS " +
                                           QuoteIdentifier(spec_.database) + "; USE __weir_plan." +
                                           QuoteIdentifier(spec_.database)));
    for (size_t at : graph_->order()) {
      const GraphDataset& dataset = graph_->datasets()[at];
      const bool refresh = selection_.full_refresh.contains(at);
      for (size_t flow : dataset.flows) {
        if (options_.spark != nullptr)
          WEIR_RETURN_IF_ERROR(SparkEngine::Check(graph_->flows()[flow]));
        WEIR_RETURN_IF_ERROR(PlanOutsideTables(graph_->flows()[flow]));
        WEIR_ASSIGN_OR_RETURN(
            std::vector<Column> columns,
            AnalyseFlow(spec_, *graph_, flow, planning_, session_, *store_, known_, refresh));
        AddColumns(at, std::move(columns));
      }
      if (dataset.is_table()) WEIR_RETURN_IF_ERROR(PlanTable(dataset.full_name, known_[at]));
    }
    return {};
  }

  void AddColumns(size_t dataset, std::vector<Column> columns) {
    std::vector<Column>& known = known_[dataset];
    for (Column& column : columns) {
      if (FindColumn(known, column.name) == nullptr) known.push_back(std::move(column));
    }
  }

  Status PlanTable(const QualifiedName& name, const std::vector<Column>& columns) {
    const std::string schema = "__weir_plan." + QuoteIdentifier(name.parts[name.parts.size() - 2]);
    return planning_.Execute("CREATE SCHEMA IF NOT EXISTS " + schema +
                             "; CREATE OR REPLACE TABLE " + schema + "." +
                             QuoteIdentifier(name.last()) + " AS " + EmptyRelation(columns));
  }

  /// Tables of the warehouse that the pipeline only reads.
  Status PlanOutsideTables(const GraphFlow& flow) {
    for (const QualifiedName& table : flow.outside) {
      if (table.parts.size() > 2) continue;
      QualifiedName name = table;
      if (name.parts.size() == 1) name.parts.insert(name.parts.begin(), spec_.database);
      name.parts.insert(name.parts.begin(), spec_.catalog);
      WEIR_ASSIGN_OR_RETURN(const auto columns, store_->Columns(name));
      if (columns) WEIR_RETURN_IF_ERROR(PlanTable(name, *columns));
    }
    return {};
  }

  void ListFlows() {
    for (size_t at : graph_->order()) {
      const GraphDataset& dataset = graph_->datasets()[at];
      if (!dataset.is_table()) continue;
      for (size_t flow : dataset.flows) {
        FlowProgress progress;
        progress.flow = graph_->flows()[flow].flow.name;
        progress.table = dataset.declared.name.ToString();
        progress.full_refresh = selection_.full_refresh.contains(at);
        if (!selection_.run.contains(at)) progress.state = FlowState::kExcluded;
        place_of_flow_[flow] = result_.flows.size();
        result_.flows.push_back(std::move(progress));
      }
    }
  }

  /// A session of its own for each flow that may run at once.
  Status OpenWorkers() {
    workers_.push_back({&session_, make_store_(session_)});
    const size_t most = options_.connect ? std::min(options_.parallel, selection_.run.size()) : 1;
    while (workers_.size() < most) {
      WEIR_ASSIGN_OR_RETURN(engine::Session* const session, options_.connect(workers_.size()));
      workers_.push_back({session, make_store_(*session)});
    }
    const std::string use =
        "USE " + QuoteIdentifier(spec_.catalog) + "." + QuoteIdentifier(spec_.database);
    for (const Worker& worker : workers_) WEIR_RETURN_IF_ERROR(worker.session->Execute(use));
    return {};
  }

  void RunTable(Worker& worker, size_t at) {
    const Status ready =
        selection_.full_refresh.contains(at) ? EmptyTable(*worker.store, at) : Status();
    for (size_t flow : graph_->datasets()[at].flows) RunOne(worker, flow, ready);
  }

  bool must_stop() const { return options_.stop != nullptr && options_.stop->load(); }

  /// Whether the flow may begin; tells the observer either way.
  bool Begin(FlowProgress& progress, size_t target) {
    const std::lock_guard<std::mutex> guard(mutex_);
    const std::string failed = FailedInput(target);
    if (must_stop()) {
      progress.state = FlowState::kStopped;
    } else if (!failed.empty()) {
      progress.state = FlowState::kSkipped;
      progress.error = InvalidArgument(
          "WEIR_FLOW_SKIPPED", "it reads `" + failed + "`, which was not brought up to date");
      failed_.insert(target);
    } else {
      progress.state = FlowState::kRunning;
    }
    observer_.FlowChanged(progress);
    return progress.state == FlowState::kRunning;
  }

  void RunOne(Worker& worker, size_t flow, const Status& ready) {
    FlowProgress& progress = result_.flows[place_of_flow_.at(flow)];
    const size_t target = graph_->flows()[flow].target;
    if (!Begin(progress, target)) return;
    const auto start = SteadyClock::now();
    const auto batch_done = [&](const BatchReport& batch) {
      const std::lock_guard<std::mutex> guard(mutex_);
      ++progress.batches;
      progress.files += batch.files;
      progress.counts += batch.counts;
      progress.seconds = SecondsSince(start);
      observer_.BatchFinished(progress, batch);
    };
    const Status done = !ready ? ready
                               : RunFlow(
                                     spec_, *graph_, flow, *worker.session, *worker.store, known_,
                                     options_.spark, [this] { return must_stop(); }, batch_done);
    const std::lock_guard<std::mutex> guard(mutex_);
    progress.seconds = SecondsSince(start);
    progress.state = !done         ? FlowState::kFailed
                     : must_stop() ? FlowState::kStopped
                                   : FlowState::kCompleted;
    if (!done) {
      progress.error = done.error();
      failed_.insert(target);
    }
    observer_.FlowChanged(progress);
  }

  /// A table that `table` reads and that failed in this run; "" for none.
  std::string FailedInput(size_t table) const {
    for (size_t input : TablesReadBy(*graph_, table)) {
      if (failed_.contains(input)) return graph_->datasets()[input].declared.name.ToString();
    }
    return "";
  }

  /// Begins a full refresh: a marker, new checkpoints for all flows of the table, no rows. Until
  /// the marker is gone every run does all of it again, so a crash in between loses nothing.
  Status EmptyTable(TableStore& tables, size_t table) {
    const GraphDataset& dataset = graph_->datasets()[table];
    WEIR_ASSIGN_OR_RETURN(const auto store, storage::OpenStore(spec_.storage.string()));
    WEIR_RETURN_IF_ERROR(store->Put(MarkerOf(table), "{}"));
    if (dataset.declared.kind == DatasetKind::kStreamingTable) {
      for (size_t flow : dataset.flows) {
        WEIR_ASSIGN_OR_RETURN(Checkpoint checkpoint,
                              Checkpoint::Open(storage::JoinPath(CheckpointFolder(spec_, dataset),
                                                                 graph_->flows()[flow].flow.name)));
        WEIR_RETURN_IF_ERROR(checkpoint.BeginRefresh());
      }
      QualifiedName auxiliary = dataset.full_name;
      auxiliary.parts.back() = std::string(kReservedPrefix) + "aux_state_" + auxiliary.parts.back();
      WEIR_RETURN_IF_ERROR(tables.Empty(auxiliary));
      WEIR_RETURN_IF_ERROR(tables.Empty(dataset.full_name));
    }
    return store->Delete(MarkerOf(table));
  }

  const PipelineSpec& spec_;
  const RunOptions& options_;
  engine::Session& session_;
  engine::Session& planning_;
  const StoreFactory& make_store_;
  std::unique_ptr<TableStore> store_;
  RunObserver& observer_;
  std::optional<Graph> graph_;
  Selection selection_;
  DatasetColumns known_;
  std::map<size_t, size_t> place_of_flow_;
  std::vector<Worker> workers_;
  std::mutex mutex_;  ///< Of the observer, failed_ and the progress of flows.
  std::set<size_t> failed_;
  RunResult result_;
};

}  // namespace

bool RunResult::ok() const {
  return std::ranges::none_of(flows, [](const FlowProgress& flow) {
    return flow.state == FlowState::kFailed || flow.state == FlowState::kSkipped;
  });
}

Result<Definitions> LoadDefinitions(const PipelineSpec& spec) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<std::filesystem::path> files, DefinitionFiles(spec));
  Definitions definitions;
  std::vector<std::filesystem::path> python;
  for (const std::filesystem::path& file : files) {
    if (file.extension() == ".py") {
      python.push_back(file);
      continue;
    }
    std::ifstream stream(file, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    if (!stream) return Fail(IoError("WEIR_IO_ERROR", file.string() + " cannot be read"));
    const std::string name = file.lexically_relative(spec.root).string();
    WEIR_RETURN_IF_ERROR(ParseSqlFile(text.str(), name, spec, definitions));
  }
  if (!python.empty()) WEIR_RETURN_IF_ERROR(LoadPythonFiles(spec, python, definitions));
  return definitions;
}

Result<RunResult> RunPipeline(const PipelineSpec& spec, const RunOptions& options,
                              engine::Session& session, engine::Session& planning,
                              const StoreFactory& make_store, RunObserver& observer) {
  return Run(spec, options, session, planning, make_store, observer).Execute();
}

}  // namespace weir::pipeline
