// SPDX-License-Identifier: Apache-2.0
#include "feed/index/index_table.h"

#include "feed/load/feed_files.h"

namespace weir::feed {

Result<bool> IndexTable::Exists(engine::Session& session) const {
  return HasTable(session, project_.schema_lake, table_.id());
}

std::string IndexTable::Definition(const Stage& stage) const {
  std::string columns = "\"KeyHash\" BLOB, \"RowHash\" BLOB, \"ETL_Date\" TIMESTAMP";
  if (!table_.delta_column.empty()) {
    columns += ", " + QuoteIdentifier(table_.delta_column) + " " +
               FindColumn(stage.columns, table_.delta_column)->type;
  }
  return " (" + columns + ")" + kTableProperties;
}

Result<bool> IndexTable::Make(engine::Session& session, const Stage& stage,
                              const std::string& own_file) const {
  WEIR_RETURN_IF_ERROR(session.Execute("CREATE TABLE IF NOT EXISTS " + name() + Definition(stage)));
  if (!table_.on_lake) return false;
  WEIR_ASSIGN_OR_RETURN(auto files, FeedFiles(session, project_, table_));
  std::erase(files, own_file);
  if (files.empty()) return false;
  const std::string list =
      "read_parquet([" +
      Join(files, ", ", [](const std::string& file) { return QuoteLiteral(file); }) +
      "], union_by_name = true, hive_partitioning = false)";
  std::string delta;
  if (!table_.delta_column.empty()) {
    WEIR_ASSIGN_OR_RETURN(const auto columns, Describe(session, "SELECT * FROM " + list));
    const std::string column = QuoteIdentifier(table_.delta_column);
    delta = ", TRY_CAST(" + (FindColumn(columns, table_.delta_column) ? column : "NULL") + " AS " +
            FindColumn(stage.columns, table_.delta_column)->type + ") AS " + column;
  }
  WEIR_RETURN_IF_ERROR(session.Execute(
      "INSERT INTO " + name() + " SELECT \"KeyHash\", \"RowHash\", \"YresDateStart\"" + delta +
      " FROM (SELECT * FROM " + list +
      " QUALIFY row_number() OVER (PARTITION BY \"KeyHash\" ORDER BY \"YresDateStart\" DESC) = 1)" +
      " WHERE \"YresAction\" <> 'D'"));
  return true;
}

Result<KnownKeys> IndexTable::Known(engine::Session& session, const Stage& stage,
                                    bool resend) const {
  KnownKeys known{"SELECT \"KeyHash\", \"RowHash\"", resend};
  if (!table_.delta_column.empty()) {
    WEIR_ASSIGN_OR_RETURN(const auto columns, Describe(session, "SELECT * FROM " + name()));
    const bool kept = FindColumn(columns, table_.delta_column) != nullptr;
    known.query += ", TRY_CAST(" + (kept ? QuoteIdentifier(table_.delta_column) : "NULL") + " AS " +
                   FindColumn(stage.columns, table_.delta_column)->type + ") AS \"YresDelta\"";
  }
  known.query += " FROM " + name();
  return known;
}

Status IndexTable::Apply(engine::Session& session, const Stage& stage, const Mutations& mutations,
                         LoadType load_type, int64_t etl_date) const {
  if (mutations.counts.total() == 0 && !mutations.moves_delta) return {};
  const bool has_delta = mutations.has_delta;
  const std::string delta = has_delta ? QuoteIdentifier(table_.delta_column) : "";
  const std::string etl = TimestampLiteral(etl_date);
  std::string source = "SELECT \"KeyHash\", \"RowHash\", \"YresAction\"" +
                       std::string(has_delta ? ", \"YresDelta\"" : "") + " FROM " + mutations.table;
  if (load_type == LoadType::kAdditional) {  // a key may come more than once
    source = "SELECT \"KeyHash\", max(\"RowHash\") AS \"RowHash\", 'I' AS \"YresAction\"" +
             std::string(has_delta ? ", max(\"YresDelta\") AS \"YresDelta\"" : "") + " FROM " +
             mutations.table + " GROUP BY \"KeyHash\"";
  }
  WEIR_ASSIGN_OR_RETURN(const auto present, Describe(session, "SELECT * FROM " + name()));
  const Column* kept = has_delta ? FindColumn(present, table_.delta_column) : nullptr;
  const bool fits =
      present.size() == (has_delta ? 4U : 3U) &&
      (!has_delta ||
       (kept != nullptr && kept->type == FindColumn(stage.columns, table_.delta_column)->type));
  if (!fits) {  // another delta column than before
    WEIR_ASSIGN_OR_RETURN(const KnownKeys known, Known(session, stage, false));
    const std::string kept_rows = "memory.main." + QuoteIdentifier("kept_index_" + table_.id());
    WEIR_RETURN_IF_ERROR(session.Execute(
        "CREATE OR REPLACE TABLE " + kept_rows +
        " AS SELECT k.\"KeyHash\", k.\"RowHash\", i.\"ETL_Date\"" +
        (has_delta ? ", k.\"YresDelta\" AS " + delta : std::string()) + " FROM (" + known.query +
        ") k JOIN " + name() + " i ON i.\"KeyHash\" = k.\"KeyHash\"; CREATE OR REPLACE TABLE " +
        name() + Definition(stage) + "; INSERT INTO " + name() + " SELECT * FROM " + kept_rows +
        "; DROP TABLE " + kept_rows));
  }
  WEIR_ASSIGN_OR_RETURN(const auto rows, session.QueryInt64("SELECT count(*) FROM " + name()));
  if (rows.value_or(0) == 0) {
    return session.Execute("INSERT INTO " + name() + " SELECT \"KeyHash\", \"RowHash\", " + etl +
                           (has_delta ? ", \"YresDelta\"" : "") + " FROM (" + source + ")");
  }
  return session.Execute(
      "MERGE INTO " + name() + " t USING (" + source + ") s ON t.\"KeyHash\" = s.\"KeyHash\" " +
      "WHEN MATCHED AND s.\"YresAction\" = 'D' THEN DELETE " +
      (has_delta ? "WHEN MATCHED AND s.\"YresAction\" = 'N' THEN UPDATE SET " + delta +
                       " = s.\"YresDelta\" "
                 : std::string()) +
      "WHEN MATCHED THEN UPDATE SET \"RowHash\" = s.\"RowHash\", \"ETL_Date\" = " + etl +
      (has_delta ? ", " + delta + " = s.\"YresDelta\"" : "") +
      " WHEN NOT MATCHED THEN INSERT (\"KeyHash\", \"RowHash\", \"ETL_Date\"" +
      (has_delta ? ", " + delta : "") + ") VALUES (s.\"KeyHash\", s.\"RowHash\", " + etl +
      (has_delta ? ", s.\"YresDelta\"" : "") + ")");
}

}  // namespace weir::feed
