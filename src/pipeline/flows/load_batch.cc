// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "pipeline/flows/batch.h"
#include "pipeline/flows/sql_text.h"

namespace weir::pipeline {
namespace {

std::string SelectEvents(const AutoCdcPlan& plan) {
  const std::string columns = Join(plan.columns, ", ", [](const Column& column) {
    return "CAST(" + QuoteIdentifier(column.name) + " AS " + column.type + ") AS " +
           QuoteIdentifier(column.name);
  });
  const std::string deletes =
      plan.delete_when.empty() ? "false" : "coalesce((" + plan.delete_when + "), false)";
  std::string written;
  for (size_t i = 0; i < plan.written_when.size(); ++i) {
    written += ", (" + plan.written_when[i].second + ") AS __weir_writes_" + std::to_string(i);
  }
  const std::string truncates =
      plan.truncate_when.empty() ? "false" : "coalesce((" + plan.truncate_when + "), false)";
  return "SELECT " + columns + ", CAST((" + plan.sequence + ") AS " +
         plan.sequence_type.ToString() + ") AS __weir_sequence, " + deletes +
         " AS __weir_delete, " + truncates + " AS __weir_truncate" + written + " " + plan.from;
}

/// Refuses the whole batch for a single event without sequence or key, as nothing sensible could be
/// done with it.
Status Validate(const AutoCdcPlan& plan, int64_t batch, engine::QueryResult& counts) {
  const std::string where =
      "table `" + plan.target.ToString() + "`, batch " + std::to_string(batch) + ": ";
  if (const int64_t missing = counts.Int64(1, 0); missing > 0) {
    return Fail(ConstraintViolated("AUTOCDC_MICROBATCH_VALIDATION.NULL_SEQUENCE",
                                   where + std::to_string(missing) + " of " +
                                       std::to_string(counts.Int64(0, 0)) +
                                       " events have a NULL sequence (SEQUENCE BY " +
                                       plan.sequence + "); nothing of the batch was applied",
                                   "22000"));
  }
  std::string keys;
  for (size_t i = 0; i < plan.keys.size(); ++i) {
    const int64_t missing = counts.Int64(2 + i, 0);
    if (missing > 0)
      keys += (keys.empty() ? "" : ", ") + plan.keys[i] + ": " + std::to_string(missing);
  }
  if (keys.empty()) return {};
  return Fail(ConstraintViolated("AUTOCDC_MICROBATCH_VALIDATION.NULL_KEY",
                                 where + "events with a NULL key (" + keys + ") among " +
                                     std::to_string(counts.Int64(0, 0)) +
                                     "; nothing of the batch was applied",
                                 "22000"));
}

}  // namespace

BatchCounts& BatchCounts::operator+=(const BatchCounts& other) {
  rows_in += other.rows_in;
  upserted += other.upserted;
  deleted += other.deleted;
  dropped += other.dropped;
  unreadable += other.unreadable;
  for (const ExpectationCount& count : other.expectations) {
    const auto same = [&](const ExpectationCount& known) {
      return known.dataset == count.dataset && known.name == count.name;
    };
    const auto known = std::ranges::find_if(expectations, same);
    if (known == expectations.end()) {
      expectations.push_back(count);
    } else {
      known->passed += count.passed;
      known->failed += count.failed;
    }
  }
  return *this;
}

Result<int64_t> LoadBatch(engine::Session& session, const AutoCdcPlan& plan, int64_t batch) {
  WEIR_RETURN_IF_ERROR(
      session.Execute("CREATE OR REPLACE TEMP TABLE __weir_batch AS " + SelectEvents(plan)));
  const std::string null_keys = Join(plan.keys, ", ", [](const std::string& key) {
    return "count(*) FILTER (WHERE NOT __weir_truncate AND " + QuoteIdentifier(key) + " IS NULL)";
  });
  WEIR_ASSIGN_OR_RETURN(
      auto counts,
      session.Query("SELECT count(*), count(*) FILTER (WHERE __weir_sequence IS NULL), " +
                    null_keys + " FROM __weir_batch"));
  WEIR_RETURN_IF_ERROR(counts->NextBatch());
  WEIR_RETURN_IF_ERROR(Validate(plan, batch, *counts));
  return counts->Int64(0, 0);
}

Result<BatchCounts> ApplyBatch(engine::Session& session, TableStore& store, const AutoCdcPlan& plan,
                               const BatchId& batch) {
  if (plan.scd_type == 2) return ApplyScd2(session, store, plan, batch);
  if (!plan.written_when.empty()) return ApplyPartialScd1(session, store, plan, batch);
  return ApplyScd1(session, store, plan, batch);
}

}  // namespace weir::pipeline
