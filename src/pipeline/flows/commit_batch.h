// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "engine/session.h"
#include "pipeline/flows/auto_cdc_plan.h"
#include "pipeline/flows/batch.h"
#include "pipeline/flows/table_store.h"

namespace weir::pipeline {

/// The statements that end an Auto CDC batch, once its changes are worked out.
struct BatchStatements {
  /// One row: changes of the auxiliary table, then rows upserted, deleted and dropped; then, when
  /// there are statements that insert, how many changes of the auxiliary table and of the target
  /// are something else.
  std::string count;
  std::string merge_auxiliary;
  std::string merge_target;
  /// Cheaper statements for a batch that only inserts; may be empty.
  std::string insert_auxiliary = {};
  std::string insert_target = {};
};

/// Counts the changes and commits those there are: the auxiliary table first, then the target, so
/// that a batch that is repeated after a crash between the two finds its state and gives the same
/// target. Errors: those of the statements and of TableStore::Commit.
Result<BatchCounts> CommitBatch(engine::Session& session, TableStore& store,
                                const AutoCdcPlan& plan, const BatchId& batch,
                                const BatchStatements& statements);

}  // namespace weir::pipeline
