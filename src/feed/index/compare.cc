// SPDX-License-Identifier: Apache-2.0
#include "feed/index/compare.h"

namespace weir::feed {
namespace {

// Which known keys without a staged row are deleted.
std::string IsDeleted(LoadType type, const Stage& stage) {
  if (!DetectsDeletes(type)) return "false";
  if (type != LoadType::kDeltaImage) return "true";
  return stage.boundary.empty() ? "false" : "b.\"YresDelta\" >= " + stage.boundary;
}

std::string ComparisonQuery(const UsedTable& table, const Stage& stage, LoadType load_type,
                            const KnownKeys& known) {
  const bool has_delta = !table.delta_column.empty();
  const std::string delta = has_delta ? "s." + QuoteIdentifier(table.delta_column) : "";
  const std::string columns = Names(stage.columns, "s.");
  if (load_type == LoadType::kAdditional) {
    return "SELECT " + columns + ", s.\"KeyHash\", s.\"RowHash\", 'I' AS \"YresAction\"" +
           (has_delta ? ", " + delta + " AS \"YresDelta\"" : "") + " FROM " + stage.table + " s";
  }
  const std::string is_new = known.resend ? "true" : "b.\"KeyHash\" IS NULL";
  std::string changed = known.resend ? "true" : is_new + " OR s.\"RowHash\" <> b.\"RowHash\"";
  std::string query = "SELECT " + columns +
                      ", coalesce(s.\"KeyHash\", b.\"KeyHash\") AS \"KeyHash\", "
                      "coalesce(s.\"RowHash\", b.\"RowHash\") AS \"RowHash\", "
                      "CASE WHEN s.\"KeyHash\" IS NULL THEN 'D' WHEN " +
                      is_new + " THEN 'I' WHEN " + changed +
                      " THEN 'U' ELSE 'N' END AS \"YresAction\"";
  if (has_delta) {
    query += ", " + delta + " AS \"YresDelta\"";
    changed += " OR " + delta + " IS DISTINCT FROM b.\"YresDelta\"";
  }
  return query + " FROM " + stage.table + " s FULL JOIN (" + known.query +
         ") b ON s.\"KeyHash\" = b.\"KeyHash\" WHERE CASE WHEN s.\"KeyHash\" IS NULL THEN " +
         IsDeleted(load_type, stage) + " ELSE " + changed + " END";
}

}  // namespace

bool DetectsDeletes(LoadType type) {
  return type != LoadType::kDelta && type != LoadType::kAdditional;
}

Result<Mutations> Compare(engine::Session& session, const UsedTable& table, const Stage& stage,
                          LoadType load_type, const KnownKeys& known, const std::string& name) {
  Mutations mutations;
  mutations.table = "memory.main." + QuoteIdentifier(name + "_" + table.id());
  mutations.has_delta = !table.delta_column.empty();
  WEIR_RETURN_IF_ERROR(session.Execute("CREATE OR REPLACE TABLE " + mutations.table + " AS " +
                                       ComparisonQuery(table, stage, load_type, known)));
  WEIR_ASSIGN_OR_RETURN(const auto rows, Rows(session, "SELECT \"YresAction\", count(*) FROM " +
                                                           mutations.table + " GROUP BY 1"));
  for (const Row& row : rows) {
    const std::string action = row[0].value_or("");
    const int64_t count = std::stoll(row[1].value_or("0"));
    if (action == "I") mutations.counts.inserted = count;
    if (action == "U") mutations.counts.updated = count;
    if (action == "D") mutations.counts.deleted = count;
    if (action == "N") mutations.moves_delta = true;
  }
  return mutations;
}

}  // namespace weir::feed
