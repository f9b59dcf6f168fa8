// SPDX-License-Identifier: Apache-2.0
//
// One run of a pipeline: `weir run`.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "pipeline/flows/table_store.h"
#include "pipeline/runs/observer.h"
#include "pipeline/spark/spark_engine.h"
#include "pipeline/spec/definitions.h"
#include "pipeline/spec/pipeline_spec.h"

namespace weir::pipeline {

struct RunOptions {
  bool dry_run = false;
  bool full_refresh_all = false;
  std::vector<std::string> full_refresh;  ///< Names of tables.
  std::vector<std::string> refresh;       ///< Empty: all tables.
  /// When it becomes true the batch at work is finished and no other begun. May be null.
  const std::atomic<bool>* stop = nullptr;
  /// Applies the batches instead of Weir's own engine. May be null.
  SparkEngine* spark = nullptr;
  /// How many flows may run at once. Those beyond the first use the sessions that `connect` gives
  /// for worker 1, 2, ..., which know the warehouse and outlive the run.
  size_t parallel = 1;
  std::function<Result<engine::Session*>(size_t worker)> connect;
};

struct RunResult {
  std::string run_id;
  std::vector<FlowProgress> flows;
  double seconds = 0;

  /// Whether every flow that was to run has.
  bool ok() const;
};

/// Makes the store that belongs to a session.
using StoreFactory = std::function<std::unique_ptr<TableStore>(engine::Session&)>;

/// Reads the definitions, checks all of them, then runs the flows in the order of the graph, each
/// until its sources have nothing new; those that do not read one another at once. A flow that
/// fails stops what reads its table, nothing else. `session` has the warehouse attached under the
/// spec's catalog and is the engine for all of it.
///
/// Errors, before anything runs: those of the definitions, the graph and the analysis of each flow;
/// CONFLICTING_PIPELINE_REFRESH_OPTIONS; WEIR_PIPELINE_TABLE_UNKNOWN for a name to refresh that is
/// none; WEIR_PIPELINE_ALREADY_RUNNING (kConflictRetryable), naming process and host. What happens
/// to a flow is in the result.
Result<RunResult> RunPipeline(const PipelineSpec& spec, const RunOptions& options,
                              engine::Session& session, engine::Session& planning,
                              const StoreFactory& make_store, RunObserver& observer);

/// The definitions of all files of the project.
Result<Definitions> LoadDefinitions(const PipelineSpec& spec);

}  // namespace weir::pipeline
