// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "pipeline/flows/auto_cdc_plan.h"
#include "pipeline/flows/expectations.h"
#include "pipeline/flows/table_store.h"

namespace weir::pipeline {

/// What a batch has done to its target.
struct BatchCounts {
  int64_t rows_in = 0;   ///< Events read.
  int64_t upserted = 0;  ///< Rows of the target inserted or changed.
  int64_t deleted = 0;   ///< Rows of the target removed.
  int64_t dropped =
      0;  ///< SCD 1: events older than the state, one per key. SCD 2: repeated events.
  int64_t unreadable = 0;  ///< Records kept aside, not among the events.
  std::vector<ExpectationCount> expectations;

  BatchCounts& operator+=(const BatchCounts& other);
};

/// Who applies a batch: recorded in the commits, so that a batch that was applied is known when it
/// comes again.
struct BatchId {
  std::string application;  ///< Of one flow since its last full refresh.
  int64_t number = 0;
};

/// Reads the events of a batch from the flow's source into the session's temporary table
/// __weir_batch: the columns of the target, __weir_sequence, __weir_delete and __weir_truncate;
/// their order of arrival is the table's rowid. Returns the number of events. Errors:
/// kConstraintViolated AUTOCDC_MICROBATCH_VALIDATION.NULL_SEQUENCE and .NULL_KEY with table, batch
/// and counts; whatever reading the source meets.
Result<int64_t> LoadBatch(engine::Session& session, const AutoCdcPlan& plan, int64_t batch);

/// Fills __weir_batch with the events that lead from the target's live rows to the present rows of
/// the flow's source, all with the sequence `plan.sequence`. Returns the number of events; sets
/// `rows_in` to the rows of the source. Errors: kConstraintViolated
/// AUTOCDC_MICROBATCH_VALIDATION.NULL_KEY, AUTOCDC_SNAPSHOT_DUPLICATE_KEY naming a key.
Result<int64_t> LoadSnapshot(engine::Session& session, const AutoCdcPlan& plan, int64_t batch,
                             int64_t& rows_in);

/// Applies the loaded batch to a table of SCD type 1. Two commits: first the side table with the
/// tombstones, then the target; replaying a batch after a crash between them, or after both, gives
/// the same tables.
///
/// Events with equal keys and sequences: an upsert beats a delete, among upserts the last to arrive
/// wins, within a batch as across batches.
Result<BatchCounts> ApplyScd1(engine::Session& session, TableStore& store, const AutoCdcPlan& plan,
                              const BatchId& batch);

/// As ApplyScd1, for a flow whose events write some columns only (IGNORE NULL UPDATES, COLUMNS TO
/// UPDATE): each column has the value of the newest event, since the last delete, that wrote it,
/// whatever the order of arrival. The metadata tells for each such column which event that was;
/// tombstones stay for good.
Result<BatchCounts> ApplyPartialScd1(engine::Session& session, TableStore& store,
                                     const AutoCdcPlan& plan, const BatchId& batch);

/// Applies the loaded batch to a table of SCD type 2. Two commits as above; rows that leave the
/// side table are marked with the batch first and removed when a later batch meets them, so a
/// replay still sees them.
///
/// Events with equal keys and sequences: a delete beats an upsert, among upserts the first to
/// arrive wins, within a batch as across batches.
Result<BatchCounts> ApplyScd2(engine::Session& session, TableStore& store, const AutoCdcPlan& plan,
                              const BatchId& batch);

/// The one of the above that the plan asks for.
Result<BatchCounts> ApplyBatch(engine::Session& session, TableStore& store, const AutoCdcPlan& plan,
                               const BatchId& batch);

}  // namespace weir::pipeline
