// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "pipeline/flows/flow_inputs.h"
#include "pipeline/flows/table_store.h"
#include "pipeline/graph/graph.h"
#include "pipeline/runs/observer.h"
#include "pipeline/spark/spark_engine.h"
#include "pipeline/spec/pipeline_spec.h"

namespace weir::pipeline {

/// Where the checkpoints of the flows into a table lie.
std::string CheckpointFolder(const PipelineSpec& spec, const GraphDataset& table);

/// The columns that `flow` gives its dataset, from the columns of what it reads. In `planning`,
/// tables of the pipeline have no rows and need not exist; nothing is written. Finds what is wrong
/// with the flow's query and clauses, and - through `store`, the real tables - what no longer fits
/// them. `refresh`: a full refresh is asked for, so tables that do not fit are no error. Errors:
/// those of QueryColumns, PlanAutoCdc, CompareTables and of the sources.
Result<std::vector<Column>> AnalyseFlow(const PipelineSpec& spec, const Graph& graph, size_t flow,
                                        engine::Session& planning, engine::Session& session,
                                        TableStore& store, const DatasetColumns& known,
                                        bool refresh);

/// Runs `flow` until its streams have nothing new: a batch that an earlier run began comes first,
/// exactly as it was planned then. `must_stop` is asked before each batch; `batch_done` hears of
/// every batch. With `spark` the batches are applied by it. Errors leave the tables as
/// the last finished batch has left them, or with a batch that the next run will finish.
Status RunFlow(const PipelineSpec& spec, const Graph& graph, size_t flow, engine::Session& session,
               TableStore& store, const DatasetColumns& known, SparkEngine* spark,
               const std::function<bool()>& must_stop,
               const std::function<void(const BatchReport&)>& batch_done);

}  // namespace weir::pipeline
