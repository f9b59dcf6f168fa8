// SPDX-License-Identifier: Apache-2.0
#include "pipeline/runs/flow_run.h"

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "base/text.h"
#include "pipeline/flows/append.h"
#include "pipeline/flows/auto_cdc_tables.h"
#include "pipeline/flows/batch.h"
#include "pipeline/flows/tombstones.h"
#include "pipeline/spark/spark_requests.h"

namespace weir::pipeline {
namespace {

constexpr const char* kSnapshotKey = "snapshot";

using SteadyClock = std::chrono::steady_clock;

double SecondsSince(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

bool IsAutoCdc(const Flow& flow) {
  return flow.kind == FlowKind::kAutoCdc || flow.kind == FlowKind::kSnapshotCdc;
}

std::string Place(const Flow& flow) {
  return flow.origin.ToString() + ": flow `" + flow.name + "`";
}

/// The source's columns of an Auto CDC flow whose inputs are bound.
Result<std::vector<Column>> SourceColumns(engine::Session& session, const GraphFlow& flow) {
  auto columns = DescribeQuery(session, flow.query.sql);
  if (columns) return columns;
  return Fail(columns.error().WithContext(Place(flow.flow)));
}

/// A streaming flow at work.
class StreamRun {
 public:
  StreamRun(const PipelineSpec& spec, const Graph& graph, size_t flow, engine::Session& session,
            TableStore& store, SparkEngine* spark)
      : spec_(spec),
        graph_(graph),
        flow_(graph.flows()[flow]),
        target_(graph.datasets()[flow_.target]),
        index_(flow),
        session_(session),
        store_(store),
        spark_(spark) {}

  Status Run(const DatasetColumns& known, const std::function<bool()>& must_stop,
             const std::function<void(const BatchReport&)>& batch_done) {
    WEIR_ASSIGN_OR_RETURN(checkpoint_, Checkpoint::Open(storage::JoinPath(
                                           CheckpointFolder(spec_, target_), flow_.flow.name)));
    WEIR_ASSIGN_OR_RETURN(inputs_,
                          FlowInputs::Open(session_, graph_, index_, spec_.root.string(), known));
    WEIR_RETURN_IF_ERROR(inputs_.Replay(checkpoint_->history()));
    WEIR_RETURN_IF_ERROR(GiveUpLostBatch());
    if (flow_.flow.kind == FlowKind::kSnapshotCdc) return RunSnapshot(batch_done);
    bool anything = false;
    while (!must_stop()) {
      const auto start = SteadyClock::now();
      WEIR_ASSIGN_OR_RETURN(const bool any, BeginBatch());
      if (!any) break;
      anything = true;
      BatchReport report;
      report.batch = checkpoint_->batch();
      report.files = inputs_.CountFiles(*checkpoint_->pending());
      report.backlog = inputs_.Backlog();
      WEIR_ASSIGN_OR_RETURN(report.counts, ApplyBatch());
      WEIR_RETURN_IF_ERROR(FinishBatch(report));
      report.seconds = SecondsSince(start);
      batch_done(report);
    }
    return anything ? ForgetDeletes() : Status();
  }

 private:
  /// A batch that was begun and has reached no table is planned anew: what it was to read may be
  /// gone or mended.
  Status GiveUpLostBatch() {
    if (!checkpoint_->pending()) return {};
    std::vector<QualifiedName> tables = {target_.full_name};
    if (IsAutoCdc(flow_.flow)) {
      tables.push_back(target_.full_name);
      tables.back().parts.back() =
          std::string(kReservedPrefix) + "aux_state_" + target_.full_name.last();
    }
    for (const QualifiedName& table : tables) {
      WEIR_ASSIGN_OR_RETURN(const auto last, store_.LastBatch(table, checkpoint_->application()));
      if (last && *last >= checkpoint_->batch()) return {};
    }
    return checkpoint_->Abandon();
  }

  Result<bool> BeginBatch() {
    if (checkpoint_->pending()) return true;
    if (flow_.flow.once) return BeginOnce();
    WEIR_ASSIGN_OR_RETURN(const BatchOffsets offsets, inputs_.Plan());
    if (offsets.empty()) return false;
    WEIR_RETURN_IF_ERROR(checkpoint_->Begin(offsets));
    return true;
  }

  Result<bool> BeginOnce() {
    if (checkpoint_->batch() > 0) return false;
    WEIR_ASSIGN_OR_RETURN(const BatchOffsets offsets, inputs_.Plan());
    WEIR_RETURN_IF_ERROR(checkpoint_->Begin(offsets));
    return true;
  }

  Result<BatchCounts> ApplyBatch() {
    const BatchId batch{checkpoint_->application(), checkpoint_->batch()};
    WEIR_ASSIGN_OR_RETURN(const auto last, store_.LastBatch(target_.full_name, batch.application));
    if (last && *last >= batch.number) return BatchCounts{};
    if (spark_ != nullptr) return ApplyOnSpark(batch);
    const std::string name =
        flow_.flow.name + "-" + batch.application.substr(0, 8) + "-" + std::to_string(batch.number);
    WEIR_ASSIGN_OR_RETURN(const int64_t unreadable,
                          inputs_.SetAside(*checkpoint_->pending(), name));
    WEIR_ASSIGN_OR_RETURN(const auto found, inputs_.Bind(session_, *checkpoint_->pending(), true));
    WEIR_ASSIGN_OR_RETURN(BatchCounts counts,
                          IsAutoCdc(flow_.flow)
                              ? ApplyEvents(batch)
                              : AppendBatch(session_, store_, flow_, target_, batch));
    counts.expectations.insert(counts.expectations.end(), found.begin(), found.end());
    counts.unreadable = unreadable;
    return counts;
  }

  Result<BatchCounts> ApplyOnSpark(const BatchId& batch) {
    const BatchOffsets& offsets = *checkpoint_->pending();
    WEIR_RETURN_IF_ERROR(inputs_.Bind(session_, offsets, false));
    WEIR_ASSIGN_OR_RETURN(JsonValue inputs, inputs_.Describe(store_, offsets));
    if (!IsAutoCdc(flow_.flow)) {
      WEIR_ASSIGN_OR_RETURN(const std::vector<Column> columns,
                            PrepareTarget(session_, store_, flow_, target_, false));
      WEIR_ASSIGN_OR_RETURN(const JsonValue request, QueryRequest(store_, flow_, target_, columns,
                                                                  &batch, std::move(inputs)));
      return spark_->Apply(request);
    }
    WEIR_ASSIGN_OR_RETURN(AutoCdcPlan plan, PlanEvents());
    const bool reset = checkpoint_->refreshed();
    WEIR_ASSIGN_OR_RETURN(const TableChanges changes,
                          CompareTables(store_, plan, target_.declared, reset));
    WEIR_RETURN_IF_ERROR(ChangeTables(store_, plan, target_.declared, changes, reset));
    WEIR_ASSIGN_OR_RETURN(const JsonValue request,
                          AutoCdcRequest(store_, flow_, plan, batch, std::move(inputs)));
    return spark_->Apply(request);
  }

  /// One comparison of the source, as it is now, with the target; a batch only when they differ.
  Status RunSnapshot(const std::function<void(const BatchReport&)>& batch_done) {
    const auto start = SteadyClock::now();
    if (flow_.flow.once && !checkpoint_->pending() && checkpoint_->batch() > 0) return {};
    BatchReport report;
    report.batch = checkpoint_->batch();
    WEIR_ASSIGN_OR_RETURN(report.counts.expectations, inputs_.Bind(session_, {}, true));
    WEIR_ASSIGN_OR_RETURN(AutoCdcPlan plan, PlanEvents());
    const int64_t time_ms = SnapshotTime();
    plan.sequence = "make_timestamptz(" + std::to_string(time_ms * 1000) + ")";
    const bool reset = checkpoint_->refreshed();
    WEIR_ASSIGN_OR_RETURN(const TableChanges changes,
                          CompareTables(store_, plan, target_.declared, reset));
    WEIR_RETURN_IF_ERROR(ChangeTables(store_, plan, target_.declared, changes, reset));
    int64_t rows_in = 0;
    WEIR_ASSIGN_OR_RETURN(const int64_t events,
                          LoadSnapshot(session_, plan, report.batch, rows_in));
    if (events == 0 && !checkpoint_->pending()) return {};
    if (!checkpoint_->pending()) WEIR_RETURN_IF_ERROR(checkpoint_->Begin(SnapshotOffset(time_ms)));
    const BatchId batch{checkpoint_->application(), report.batch};
    WEIR_ASSIGN_OR_RETURN(const BatchCounts applied,
                          weir::pipeline::ApplyBatch(session_, store_, plan, batch));
    report.counts += applied;
    report.counts.rows_in = rows_in;
    WEIR_RETURN_IF_ERROR(FinishBatch(report));
    report.seconds = SecondsSince(start);
    batch_done(report);
    return {};
  }

  /// The time that stands for the snapshot: the pending batch's, else now, later than all before.
  int64_t SnapshotTime() const {
    const auto time_of = [](const BatchOffsets& offsets) {
      const auto found = offsets.find(kSnapshotKey);
      const JsonValue* at = found == offsets.end() ? nullptr : found->second.Find("at");
      return at == nullptr ? int64_t{0} : at->AsInt64().value_or(0);
    };
    if (checkpoint_->pending()) return time_of(*checkpoint_->pending());
    const auto& history = checkpoint_->history();
    const int64_t last = history.empty() ? 0 : time_of(history.back());
    return std::max(Clock::System().NowMillis(), last + 1);
  }

  static BatchOffsets SnapshotOffset(int64_t time_ms) {
    return {{kSnapshotKey, JsonValue::Object({{"at", JsonValue::Int(time_ms)}})}};
  }

  Result<AutoCdcPlan> PlanEvents() {
    WEIR_ASSIGN_OR_RETURN(const std::vector<Column> source, SourceColumns(session_, flow_));
    return PlanAutoCdc(session_, flow_, target_, source);
  }

  Result<BatchCounts> ApplyEvents(const BatchId& batch) {
    WEIR_ASSIGN_OR_RETURN(AutoCdcPlan plan, PlanEvents());
    const bool reset = checkpoint_->refreshed();
    WEIR_ASSIGN_OR_RETURN(const TableChanges changes,
                          CompareTables(store_, plan, target_.declared, reset));
    WEIR_ASSIGN_OR_RETURN(const int64_t rows_in, LoadBatch(session_, plan, batch.number));
    WEIR_RETURN_IF_ERROR(ChangeTables(store_, plan, target_.declared, changes, reset));
    WEIR_ASSIGN_OR_RETURN(BatchCounts counts,
                          weir::pipeline::ApplyBatch(session_, store_, plan, batch));
    counts.rows_in = rows_in;
    return counts;
  }

  /// Removes the tombstones that are older than the table wants to keep them.
  Status ForgetDeletes() {
    if (flow_.flow.kind != FlowKind::kAutoCdc) return {};
    WEIR_ASSIGN_OR_RETURN(const auto seconds, TombstoneRetention(target_.declared));
    if (!seconds) return {};
    WEIR_RETURN_IF_ERROR(inputs_.Bind(session_, {}, false));
    WEIR_ASSIGN_OR_RETURN(const AutoCdcPlan plan, PlanEvents());
    WEIR_RETURN_IF_ERROR(
        CollectTombstones(session_, store_, plan, *seconds, Clock::System().NowMillis()));
    return {};
  }

  Status FinishBatch(const BatchReport& report) {
    WEIR_RETURN_IF_ERROR(inputs_.Replay(std::vector<BatchOffsets>{*checkpoint_->pending()}));
    const JsonValue summary =
        JsonValue::Object({{"rowsIn", JsonValue::Int(report.counts.rows_in)},
                           {"upserted", JsonValue::Int(report.counts.upserted)},
                           {"deleted", JsonValue::Int(report.counts.deleted)},
                           {"dropped", JsonValue::Int(report.counts.dropped)},
                           {"files", JsonValue::Int(report.files)}});
    std::optional<BatchOffsets> compact;
    if (checkpoint_->WantsCompact()) {
      compact = inputs_.Compact();
      const auto snapshot = checkpoint_->pending()->find(kSnapshotKey);
      if (snapshot != checkpoint_->pending()->end()) compact->insert(*snapshot);
    }
    return checkpoint_->Finish(summary, compact);
  }

  const PipelineSpec& spec_;
  const Graph& graph_;
  const GraphFlow& flow_;
  const GraphDataset& target_;
  const size_t index_;
  engine::Session& session_;
  TableStore& store_;
  SparkEngine* const spark_;
  std::optional<Checkpoint> checkpoint_;
  FlowInputs inputs_;
};

Status RunView(const PipelineSpec& spec, const Graph& graph, size_t index, engine::Session& session,
               TableStore& store, const DatasetColumns& known, SparkEngine* spark,
               const std::function<void(const BatchReport&)>& batch_done) {
  const auto start = SteadyClock::now();
  const GraphFlow& flow = graph.flows()[index];
  WEIR_ASSIGN_OR_RETURN(FlowInputs inputs,
                        FlowInputs::Open(session, graph, index, spec.root.string(), known));
  const GraphDataset& target = graph.datasets()[flow.target];
  WEIR_RETURN_IF_ERROR(inputs.Bind(session, {}, spark == nullptr));
  BatchReport report;
  if (spark == nullptr) {
    WEIR_ASSIGN_OR_RETURN(report.counts, RecomputeView(session, store, flow, target));
  } else {
    WEIR_ASSIGN_OR_RETURN(JsonValue described, inputs.Describe(store, {}));
    WEIR_ASSIGN_OR_RETURN(const std::vector<Column> columns,
                          PrepareTarget(session, store, flow, target, true));
    WEIR_ASSIGN_OR_RETURN(const JsonValue request, QueryRequest(store, flow, target, columns,
                                                                nullptr, std::move(described)));
    WEIR_ASSIGN_OR_RETURN(report.counts, spark->Apply(request));
  }
  report.seconds = SecondsSince(start);
  batch_done(report);
  return {};
}

}  // namespace

std::string CheckpointFolder(const PipelineSpec& spec, const GraphDataset& table) {
  std::string folder = (spec.storage / "_checkpoints").string();
  for (const std::string& part : table.full_name.parts) folder = storage::JoinPath(folder, part);
  return folder;
}

Result<std::vector<Column>> AnalyseFlow(const PipelineSpec& spec, const Graph& graph, size_t index,
                                        engine::Session& planning, engine::Session& session,
                                        TableStore& store, const DatasetColumns& known,
                                        bool refresh) {
  const GraphFlow& flow = graph.flows()[index];
  const GraphDataset& target = graph.datasets()[flow.target];
  WEIR_ASSIGN_OR_RETURN(FlowInputs inputs,
                        FlowInputs::Open(session, graph, index, spec.root.string(), known));
  if (target.is_table() && flow.flow.kind != FlowKind::kRecompute) {
    WEIR_ASSIGN_OR_RETURN(
        const Checkpoint checkpoint,
        Checkpoint::Open(storage::JoinPath(CheckpointFolder(spec, target), flow.flow.name)));
    if (!refresh) WEIR_RETURN_IF_ERROR(inputs.Replay(checkpoint.history()));
  }
  WEIR_ASSIGN_OR_RETURN(const BatchOffsets offsets, inputs.PlanForColumns());
  WEIR_RETURN_IF_ERROR(inputs.Bind(planning, offsets, false));
  if (!IsAutoCdc(flow.flow)) {
    WEIR_RETURN_IF_ERROR(CountExpectations(planning, target.declared, flow.query.sql));
    return QueryColumns(planning, flow, target.declared);
  }
  WEIR_ASSIGN_OR_RETURN(const std::vector<Column> source, SourceColumns(planning, flow));
  WEIR_ASSIGN_OR_RETURN(AutoCdcPlan plan, PlanAutoCdc(planning, flow, target, source));
  WEIR_RETURN_IF_ERROR(TombstoneRetention(target.declared));
  WEIR_RETURN_IF_ERROR(CompareTables(store, plan, target.declared, refresh));
  return TargetColumns(plan);
}

Status RunFlow(const PipelineSpec& spec, const Graph& graph, size_t flow, engine::Session& session,
               TableStore& store, const DatasetColumns& known, SparkEngine* spark,
               const std::function<bool()>& must_stop,
               const std::function<void(const BatchReport&)>& batch_done) {
  if (graph.flows()[flow].flow.kind == FlowKind::kRecompute) {
    return RunView(spec, graph, flow, session, store, known, spark, batch_done);
  }
  return StreamRun(spec, graph, flow, session, store, spark).Run(known, must_stop, batch_done);
}

}  // namespace weir::pipeline
