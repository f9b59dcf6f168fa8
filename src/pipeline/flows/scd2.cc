// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "pipeline/flows/batch.h"
#include "pipeline/flows/commit_batch.h"
#include "pipeline/flows/scd2_sql.h"

namespace weir::pipeline {
namespace {

/// The first two columns of a query's only row.
Result<std::pair<int64_t, int64_t>> TwoCounts(engine::Session& session, const std::string& query) {
  WEIR_ASSIGN_OR_RETURN(auto rows, session.Query(query));
  WEIR_RETURN_IF_ERROR(rows->NextBatch());
  return std::pair(rows->Int64(0, 0), rows->Int64(1, 0));
}

/// Fills __weir_sorted. False when two different rows have the same hash, so that exact
/// fingerprints are needed.
Result<bool> SortEvents(engine::Session& session, const Scd2Sql& sql, Scd2Shape& shape) {
  for (const std::string& step : {sql.ReadTarget(), sql.ReadAuxiliary()})
    WEIR_RETURN_IF_ERROR(session.Execute(step));
  if (sql.partial()) WEIR_RETURN_IF_ERROR(session.Execute(sql.Fill()));
  WEIR_RETURN_IF_ERROR(session.Execute(sql.Sort()));
  WEIR_ASSIGN_OR_RETURN(auto counts, TwoCounts(session, sql.CountNeighbours()));
  if (counts.first > 0) {
    WEIR_RETURN_IF_ERROR(session.Execute(sql.SortAgain()));
    WEIR_ASSIGN_OR_RETURN(counts, TwoCounts(session, sql.CountNeighbours()));
  }
  shape.long_runs = counts.second > 0;
  if (!shape.long_runs || !sql.hashed()) return true;
  WEIR_ASSIGN_OR_RETURN(const std::optional<int64_t> unequal, session.QueryInt64(sql.Unequal()));
  return unequal.value_or(0) == 0;
}

/// Works out and commits what the sorted events change.
Result<BatchCounts> ApplySorted(engine::Session& session, TableStore& store,
                                const AutoCdcPlan& plan, const BatchId& batch, const Scd2Sql& sql,
                                Scd2Shape& shape) {
  WEIR_RETURN_IF_ERROR(session.Execute(sql.CutRuns(shape)));
  WEIR_ASSIGN_OR_RETURN(const std::optional<int64_t> stay, session.QueryInt64(sql.RowsStay()));
  shape.rows_stay = stay.value_or(0) != 0;
  WEIR_RETURN_IF_ERROR(session.Execute(sql.DiffTarget(shape)));
  WEIR_RETURN_IF_ERROR(session.Execute(sql.DiffAuxiliary()));
  WEIR_ASSIGN_OR_RETURN(const auto old, TwoCounts(session, sql.NeedOld()));
  shape.target_needs_old = old.first > 0;
  shape.auxiliary_needs_old = old.second > 0;
  return CommitBatch(session, store, plan, batch,
                     {sql.Count(), sql.MergeAuxiliary(shape), sql.MergeTarget(shape),
                      sql.InsertAuxiliary(shape), sql.InsertTarget(shape)});
}

}  // namespace

Result<BatchCounts> ApplyScd2(engine::Session& session, TableStore& store, const AutoCdcPlan& plan,
                              const BatchId& batch) {
  Scd2Shape shape;
  const Scd2Sql sql(plan, batch.number, false);
  WEIR_ASSIGN_OR_RETURN(const bool sound, SortEvents(session, sql, shape));
  if (sound) return ApplySorted(session, store, plan, batch, sql, shape);
  const Scd2Sql exact(plan, batch.number, true);
  WEIR_RETURN_IF_ERROR(SortEvents(session, exact, shape));
  return ApplySorted(session, store, plan, batch, exact, shape);
}

}  // namespace weir::pipeline
