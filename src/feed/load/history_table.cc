// SPDX-License-Identifier: Apache-2.0
#include "feed/load/history_table.h"

namespace weir::feed {
namespace {

constexpr const char* kOwnNames =
    "\"ETL_Date\", \"ETL_EndDate\", \"IsCurrent\", \"KeyHash\", \"RowHash\"";

// The type that holds the values of both, by DuckDB's own rule for a union of queries.
Result<std::string> CommonType(engine::Session& session, const std::string& a,
                               const std::string& b) {
  WEIR_ASSIGN_OR_RETURN(const auto columns,
                        Describe(session, "(SELECT CAST(NULL AS " + a +
                                              ") AS x UNION ALL SELECT CAST(NULL AS " + b + "))"));
  return columns[0].type;
}

}  // namespace

Result<bool> HistoryTable::Exists(engine::Session& session) const {
  return HasTable(session, kHistorySchema, table_.id());
}

Status HistoryTable::Create(engine::Session& session, const std::vector<Column>& columns) const {
  return session.Execute(
      "CREATE TABLE " + name() + " (" +
      Join(columns, ", ",
           [](const Column& column) { return QuoteIdentifier(column.name) + " " + column.type; }) +
      ", \"ETL_Date\" TIMESTAMP, \"ETL_EndDate\" TIMESTAMP, \"IsCurrent\" INTEGER, "
      "\"KeyHash\" BLOB, \"RowHash\" BLOB) PARTITIONED BY (\"IsCurrent\")" +
      kTableProperties);
}

Status HistoryTable::Prepare(engine::Session& session, const Stage& stage) const {
  WEIR_ASSIGN_OR_RETURN(const bool exists, Exists(session));
  if (!exists) return Create(session, stage.columns);
  WEIR_ASSIGN_OR_RETURN(const auto present, Describe(session, "SELECT * FROM " + name()));
  std::string casts;
  for (const Column& column : stage.columns) {
    const std::string quoted = QuoteIdentifier(column.name);
    const Column* old = FindColumn(present, column.name);
    if (old == nullptr) {
      WEIR_RETURN_IF_ERROR(
          session.Execute("ALTER TABLE " + name() + " ADD COLUMN " + quoted + " " + column.type));
      continue;
    }
    WEIR_ASSIGN_OR_RETURN(const std::string type, CommonType(session, old->type, column.type));
    if (type != old->type)
      casts += (casts.empty() ? "" : ", ") + ("CAST(" + quoted + " AS " + type) + ") AS " + quoted;
  }
  if (casts.empty()) return {};
  return session.Execute("CREATE OR REPLACE TABLE " + name() + " PARTITIONED BY (\"IsCurrent\")" +
                         kTableProperties + " AS SELECT * REPLACE (" + casts + ") FROM " + name());
}

Status HistoryTable::MakeVersions(engine::Session& session) const {
  const std::string versions = "memory.main." + QuoteIdentifier("versions_" + table_.id());
  const std::string open = " WHERE \"IsCurrent\" = 1";
  WEIR_RETURN_IF_ERROR(session.Execute(
      "CREATE OR REPLACE TABLE " + versions +
      " AS SELECT * EXCLUDE (\"YresNext\") REPLACE (coalesce(\"YresNext\", " + kOpenEnd +
      ") AS \"ETL_EndDate\", (\"YresNext\" IS NULL)::INTEGER AS \"IsCurrent\") FROM (SELECT *, "
      "lead(\"ETL_Date\") OVER (PARTITION BY \"KeyHash\" ORDER BY \"ETL_Date\", \"RowHash\") AS "
      "\"YresNext\" FROM " +
      name() + open + " QUALIFY count(*) OVER (PARTITION BY \"KeyHash\") > 1)"));
  WEIR_ASSIGN_OR_RETURN(const auto rows, session.QueryInt64("SELECT count(*) FROM " + versions));
  if (rows.value_or(0) > 0) {
    WEIR_RETURN_IF_ERROR(session.Execute(
        "DELETE FROM " + name() + open + " AND \"KeyHash\" IN (SELECT \"KeyHash\" FROM " +
        versions + "); INSERT INTO " + name() + " BY NAME SELECT * FROM " + versions));
  }
  return session.Execute("DROP TABLE " + versions);
}

KnownKeys HistoryTable::Known(const Stage& stage, bool resend) const {
  std::string delta;
  if (!table_.delta_column.empty()) {
    delta = ", TRY_CAST(" + QuoteIdentifier(table_.delta_column) + " AS " +
            FindColumn(stage.columns, table_.delta_column)->type + ") AS \"YresDelta\"";
  }
  return {
      "SELECT \"KeyHash\", \"RowHash\"" + delta + " FROM " + name() + " WHERE \"IsCurrent\" = 1",
      resend};
}

Status HistoryTable::Merge(engine::Session& session, const Stage& stage, const Mutations& mutations,
                           bool overwrite, bool resend, const std::string& etl) const {
  const std::string rows = "SELECT *, ";
  const std::string closing = resend ? "true" : "\"YresAction\" <> 'I'";
  const std::string delta = QuoteIdentifier(table_.delta_column);
  return session.Execute(
      "MERGE INTO " + name() + " t USING (" + rows + "\"KeyHash\" AS \"YresMatch\" FROM " +
      mutations.table + " WHERE " + closing + " UNION ALL " + rows + "NULL FROM " +
      mutations.table + " WHERE \"YresAction\" IN ('I', 'U')) s ON t.\"KeyHash\" = " +
      "s.\"YresMatch\" AND t.\"IsCurrent\" = 1 " +
      (mutations.moves_delta ? "WHEN MATCHED AND s.\"YresAction\" = 'N' THEN UPDATE SET " + delta +
                                   " = s.\"YresDelta\" "
                             : std::string()) +
      (overwrite
           ? "WHEN MATCHED THEN DELETE "
           : "WHEN MATCHED THEN UPDATE SET \"ETL_EndDate\" = " + etl + ", \"IsCurrent\" = 0 ") +
      "WHEN NOT MATCHED AND s.\"YresMatch\" IS NULL THEN INSERT (" + Names(stage.columns) + ", " +
      kOwnNames + ") VALUES (" + Names(stage.columns, "s.") + ", " + etl + ", " + kOpenEnd +
      ", 1, s.\"KeyHash\", s.\"RowHash\")");
}

Status HistoryTable::Apply(engine::Session& session, const Stage& stage, const Mutations& mutations,
                           LoadType load_type, bool resend, int64_t etl_date) const {
  const std::string etl = TimestampLiteral(etl_date);
  const bool overwrite = load_type == LoadType::kOverwrite;
  const bool closes = mutations.counts.updated + mutations.counts.deleted > 0 ||
                      mutations.moves_delta || (resend && load_type != LoadType::kAdditional);
  if (closes) {
    WEIR_RETURN_IF_ERROR(Merge(session, stage, mutations, overwrite, resend, etl));
  } else if (mutations.counts.inserted > 0) {
    WEIR_RETURN_IF_ERROR(session.Execute("INSERT INTO " + name() + " (" + Names(stage.columns) +
                                         ", " + kOwnNames + ") SELECT " + Names(stage.columns) +
                                         ", " + etl + ", " + kOpenEnd +
                                         ", 1, \"KeyHash\", \"RowHash\" FROM " + mutations.table));
  }
  if (!overwrite) return {};
  WEIR_ASSIGN_OR_RETURN(const auto closed, session.QueryInt64("SELECT count(*) FROM " + name() +
                                                              " WHERE \"IsCurrent\" = 0"));
  if (closed.value_or(0) == 0) return {};
  return session.Execute("DELETE FROM " + name() + " WHERE \"IsCurrent\" = 0");
}

}  // namespace weir::feed
