// SPDX-License-Identifier: Apache-2.0
//
// What the Spark engine is asked to do. `inputs` is what FlowInputs::Describe gives; the tables
// exist already, in the shape that the batch needs.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "pipeline/flows/auto_cdc_plan.h"
#include "pipeline/flows/batch.h"
#include "pipeline/flows/table_store.h"
#include "pipeline/graph/graph.h"

namespace weir::pipeline {

/// {"kind": "auto_cdc", "inputs", "from", "target", "auxiliary", "table", "batch", "application",
/// "scd_type", "columns", "keys", "sequence", "sequence_type", "delete_when", "tracked"}
Result<JsonValue> AutoCdcRequest(TableStore& store, const GraphFlow& flow, const AutoCdcPlan& plan,
                                 const BatchId& batch, JsonValue inputs);

/// {"kind": "append" | "replace", "inputs", "sql", "target", "table", "batch", "application",
/// "columns", "expectations"}; without `batch` the rows replace those of the table.
Result<JsonValue> QueryRequest(TableStore& store, const GraphFlow& flow, const GraphDataset& target,
                               const std::vector<Column>& columns, const BatchId* batch,
                               JsonValue inputs);

}  // namespace weir::pipeline
