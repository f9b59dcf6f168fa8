// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "pipeline/flows/batch.h"
#include "pipeline/flows/sql_text.h"

namespace weir::pipeline {
namespace {

std::vector<std::string> OtherColumns(const AutoCdcPlan& plan) {
  std::vector<std::string> others;
  for (const Column& column : plan.columns) {
    if (std::ranges::find(plan.keys, column.name) == plan.keys.end()) others.push_back(column.name);
  }
  return others;
}

/// A key may come once. The one that comes most often is named.
Status CheckKeys(engine::Session& session, const AutoCdcPlan& plan, int64_t batch) {
  const std::string where =
      "table `" + plan.target.ToString() + "`, batch " + std::to_string(batch) + ": ";
  const std::string any_null = Join(
      plan.keys, " OR ", [](const std::string& key) { return QuoteIdentifier(key) + " IS NULL"; });
  WEIR_ASSIGN_OR_RETURN(
      const auto nulls,
      session.QueryInt64("SELECT count(*) FROM __weir_snapshot WHERE " + any_null));
  if (nulls.value_or(0) > 0) {
    return Fail(ConstraintViolated("AUTOCDC_MICROBATCH_VALIDATION.NULL_KEY",
                                   where + std::to_string(*nulls) +
                                       " rows of the snapshot have a NULL key; nothing "
                                       "of it was applied",
                                   "22000"));
  }
  WEIR_ASSIGN_OR_RETURN(
      auto twice,
      session.Query("SELECT count(*), " + Names(plan.keys) + " FROM __weir_snapshot GROUP BY " +
                    Names(plan.keys) + " HAVING count(*) > 1 ORDER BY 1 DESC LIMIT 1"));
  WEIR_ASSIGN_OR_RETURN(const bool any, twice->NextBatch());
  if (!any) return {};
  std::string key;
  for (size_t i = 0; i < plan.keys.size(); ++i) {
    key += (i == 0 ? "" : ", ") + plan.keys[i] + " = " + twice->Text(i + 1, 0);
  }
  return Fail(ConstraintViolated("AUTOCDC_SNAPSHOT_DUPLICATE_KEY",
                                 where + "the snapshot has " + twice->Text(0, 0) +
                                     " rows with the key " + key +
                                     "; a key must come once, nothing of it was applied",
                                 "23505"));
}

std::string Differences(const AutoCdcPlan& plan) {
  const std::vector<std::string> others = OtherColumns(plan);
  const std::string changed =
      others.empty()
          ? "false"
          : "row(" + Names(others, "s") + ") IS DISTINCT FROM row(" + Names(others, "l") + ")";
  const std::string event =
      ", CAST(" + plan.sequence + " AS " + plan.sequence_type.ToString() + ") AS __weir_sequence, ";
  const std::string gone = Join(plan.columns, ", ", [&](const Column& column) {
    const bool is_key = std::ranges::find(plan.keys, column.name) != plan.keys.end();
    return (is_key ? In("l", column.name) : "CAST(NULL AS " + column.type + ")") + " AS " +
           QuoteIdentifier(column.name);
  });
  const std::string live =
      "(SELECT " + Names(plan.columns) + ", true AS __weir_found FROM " + plan.target.ToSql() +
      (plan.scd_type == 2 ? " WHERE " + QuoteIdentifier(kEndColumn) + " IS NULL" : "") + ") l";
  return "SELECT " + Names(plan.columns, "s") + event +
         "false AS __weir_delete, false AS __weir_truncate FROM __weir_snapshot s LEFT JOIN " +
         live + " ON " + SameKey(plan.keys, "s", "l") + " WHERE l.__weir_found IS NULL OR " +
         changed + " UNION ALL SELECT " + gone + event + "true, false FROM " + live +
         " ANTI JOIN __weir_snapshot s ON " + SameKey(plan.keys, "l", "s");
}

}  // namespace

Result<int64_t> LoadSnapshot(engine::Session& session, const AutoCdcPlan& plan, int64_t batch,
                             int64_t& rows_in) {
  const std::string casts = Join(plan.columns, ", ", [](const Column& column) {
    return "CAST(" + QuoteIdentifier(column.name) + " AS " + column.type + ") AS " +
           QuoteIdentifier(column.name);
  });
  WEIR_RETURN_IF_ERROR(session.Execute("CREATE OR REPLACE TEMP TABLE __weir_snapshot AS SELECT " +
                                       casts + " " + plan.from));
  WEIR_ASSIGN_OR_RETURN(const auto rows,
                        session.QueryInt64("SELECT count(*) FROM __weir_snapshot"));
  rows_in = rows.value_or(0);
  WEIR_RETURN_IF_ERROR(CheckKeys(session, plan, batch));
  WEIR_RETURN_IF_ERROR(
      session.Execute("CREATE OR REPLACE TEMP TABLE __weir_batch AS " + Differences(plan)));
  WEIR_ASSIGN_OR_RETURN(const auto events, session.QueryInt64("SELECT count(*) FROM __weir_batch"));
  return events.value_or(0);
}

}  // namespace weir::pipeline
