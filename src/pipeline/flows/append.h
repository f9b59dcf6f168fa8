// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "engine/session.h"
#include "pipeline/flows/batch.h"
#include "pipeline/flows/table_store.h"
#include "pipeline/graph/graph.h"

namespace weir::pipeline {

/// The columns that an append flow or a materialized view gives its table: those of its query in
/// storable types, or the declared ones. Errors (kInvalidArgument):
/// USER_SPECIFIED_AND_INFERRED_SCHEMA_NOT_COMPATIBLE; what DuckDB says of a query that does not
/// bind.
Result<std::vector<Column>> QueryColumns(engine::Session& session, const GraphFlow& flow,
                                         const Dataset& target);

/// Makes the target of an append flow or a view, or gives it the new columns; returns the query's
/// columns with the types that the table has. `replace`: a table of other columns is replaced,
/// without its rows. Errors: as AppendBatch.
Result<std::vector<Column>> PrepareTarget(engine::Session& session, TableStore& store,
                                          const GraphFlow& flow, const GraphDataset& target,
                                          bool replace);

/// Adds the rows of the flow's query to the target, which is made or given new columns as needed,
/// in one commit that records the batch. Errors: CANNOT_MERGE_INCOMPATIBLE_DATA_TYPE for a column
/// whose type has changed; EXPECTATION_FAILED.
Result<BatchCounts> AppendBatch(engine::Session& session, TableStore& store, const GraphFlow& flow,
                                const GraphDataset& target, const BatchId& batch);

/// Replaces the target by the rows of the view's query, in one commit.
Result<BatchCounts> RecomputeView(engine::Session& session, TableStore& store,
                                  const GraphFlow& flow, const GraphDataset& target);

}  // namespace weir::pipeline
