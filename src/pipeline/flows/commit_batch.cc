// SPDX-License-Identifier: Apache-2.0
#include "pipeline/flows/commit_batch.h"

namespace weir::pipeline {

Result<BatchCounts> CommitBatch(engine::Session& session, TableStore& store,
                                const AutoCdcPlan& plan, const BatchId& batch,
                                const BatchStatements& statements) {
  WEIR_ASSIGN_OR_RETURN(auto counted, session.Query(statements.count));
  WEIR_RETURN_IF_ERROR(counted->NextBatch());
  BatchCounts counts;
  const bool auxiliary_changes = counted->Int64(0, 0) > 0;
  counts.upserted = counted->Int64(1, 0);
  counts.deleted = counted->Int64(2, 0);
  counts.dropped = counted->Int64(3, 0);
  const bool may_insert = !statements.insert_target.empty();
  const bool only_inserts_auxiliary = may_insert && counted->Int64(4, 0) == 0;
  const bool only_inserts_target = may_insert && counted->Int64(5, 0) == 0;
  counted.reset();
  if (auxiliary_changes) {
    WEIR_RETURN_IF_ERROR(store.Commit(
        plan.auxiliary, batch.application, batch.number,
        only_inserts_auxiliary ? statements.insert_auxiliary : statements.merge_auxiliary));
  }
  if (counts.upserted + counts.deleted > 0) {
    WEIR_RETURN_IF_ERROR(
        store.Commit(plan.target, batch.application, batch.number,
                     only_inserts_target ? statements.insert_target : statements.merge_target));
  }
  return counts;
}

}  // namespace weir::pipeline
