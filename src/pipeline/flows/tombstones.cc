// SPDX-License-Identifier: Apache-2.0
#include "pipeline/flows/tombstones.h"

#include "base/text.h"
#include "pipeline/flows/sql_text.h"

namespace weir::pipeline {
namespace {

constexpr std::string_view kProperty = "pipelines.cdc.tombstoneGCThresholdInSeconds";

/// The tombstones of a state of the side table, with the sequences of their deletes. The row of a
/// truncation, whose keys are NULL, is none.
std::string Tombstones(const AutoCdcPlan& plan, const std::string& from) {
  const std::string sequence =
      plan.scd_type == 2
          ? QuoteIdentifier(kStartColumn)
          : "struct_extract(" + QuoteIdentifier(kMetadataColumn) + ", 'deleteSequence')";
  const std::string is_delete =
      plan.scd_type == 2 ? " AND " + QuoteIdentifier(kEndColumn) + " IS NOT NULL" : "";
  return "SELECT " + Names(plan.keys) + ", " + sequence + " AS __weir_sequence " + from +
         " WHERE " + QuoteIdentifier(plan.keys[0]) + " IS NOT NULL" + is_delete;
}

std::string Removal(const AutoCdcPlan& plan) {
  const bool history = plan.scd_type == 2;
  const std::string sequence =
      history ? "t." + QuoteIdentifier(kStartColumn)
              : "struct_extract(t." + QuoteIdentifier(kMetadataColumn) + ", 'deleteSequence')";
  return "MERGE INTO " + plan.auxiliary.ToSql() + " AS t USING __weir_expired AS s ON " +
         SameKey(plan.keys, "t", "s") + " AND " + sequence +
         " IS NOT DISTINCT FROM s.__weir_sequence" +
         (history ? " AND t." + QuoteIdentifier(kEndColumn) + " IS NOT NULL" : "") +
         " WHEN MATCHED THEN DELETE";
}

}  // namespace

Result<std::optional<int64_t>> TombstoneRetention(const Dataset& table) {
  for (const auto& [key, value] : table.properties) {
    if (!EqualsIgnoreCase(key, kProperty)) continue;
    const auto seconds = ParseInt64(value);
    if (seconds && *seconds >= 0) return seconds;
    return Fail(InvalidArgument("WEIR_PROPERTY_VALUE_INVALID",
                                table.origin.ToString() + ": property " + key + " of table `" +
                                    table.name.ToString() +
                                    "` is a number of seconds, found: " + value));
  }
  return std::optional<int64_t>();
}

Result<int64_t> CollectTombstones(engine::Session& session, TableStore& store,
                                  const AutoCdcPlan& plan, int64_t seconds, int64_t now_ms) {
  const int64_t before_us = (now_ms - seconds * 1000) * 1000;
  WEIR_ASSIGN_OR_RETURN(const auto version, store.VersionBefore(plan.auxiliary, before_us));
  if (!version) return int64_t{0};
  WEIR_RETURN_IF_ERROR(
      session.Execute("CREATE OR REPLACE TEMP TABLE __weir_expired AS " +
                      Tombstones(plan, "FROM " + plan.auxiliary.ToSql() + " AT (VERSION => " +
                                           std::to_string(*version) + ")") +
                      " INTERSECT " + Tombstones(plan, "FROM " + plan.auxiliary.ToSql())));
  WEIR_ASSIGN_OR_RETURN(const auto expired,
                        session.QueryInt64("SELECT count(*) FROM __weir_expired"));
  if (expired.value_or(0) > 0) WEIR_RETURN_IF_ERROR(session.Execute(Removal(plan)));
  return expired.value_or(0);
}

}  // namespace weir::pipeline
