// SPDX-License-Identifier: Apache-2.0
#include "pipeline/flows/scd2_sql.h"

#include <algorithm>

#include "pipeline/flows/sql_text.h"

namespace weir::pipeline {
namespace {

constexpr const char* kStart = "\"__START_AT\"";
constexpr const char* kEnd = "\"__END_AT\"";
constexpr const char* kDeletedBy = "\"__spark_autocdc_deleted_by_batch_id\"";

std::string Table(const char* name, const std::string& query) {
  return std::string("CREATE OR REPLACE TEMP TABLE ") + name + " AS " + query;
}

std::string View(const char* name, const std::string& query) {
  return std::string("CREATE OR REPLACE TEMP VIEW ") + name + " AS " + query;
}

/// A view whose rows are worked out once.
std::string MaterializedView(const std::string& name, const std::string& query) {
  const std::string rows = name + "_rows";
  return Table(rows.c_str(), query) + "; " + View(name.c_str(), "FROM " + rows);
}

}  // namespace

Scd2Sql::Scd2Sql(const AutoCdcPlan& plan, int64_t batch, bool exact)
    : plan_(plan),
      batch_(std::to_string(batch)),
      hashed_(!exact && plan.tracks_all && plan.written_when.empty() && !plan.tracked.empty()),
      others_(plan.columns) {
  std::erase_if(others_, [&](const Column& column) {
    return std::ranges::find(plan_.keys, column.name) != plan_.keys.end();
  });
  for (const std::string& name : plan_.tracked)
    tracked_.push_back(*FindColumn(plan_.columns, name));
}

std::string Scd2Sql::ReadTarget() const {
  return Table("__weir_old",
               "SELECT " +
                   (hashed_ ? Names(plan_.keys) + ", " + Fingerprint() + " AS __weir_fingerprint"
                            : Names(plan_.columns)) +
                   ", " + kStart + " AS __weir_start, " + kEnd +
                   " AS __weir_end, coalesce(struct_extract(" + In("t", kMetadataColumn) +
                   ", '__RECORD_START_AT'), " + kStart + ") AS __weir_sequence" + Recorded() +
                   " FROM " + plan_.target.ToSql() + " t SEMI JOIN __weir_batch b ON " +
                   SameKey(plan_.keys, "t", "b"));
}

std::string Scd2Sql::ReadAuxiliary() const {
  return Table("__weir_old_auxiliary",
               "SELECT " + Names(plan_.columns) + ", " + kStart + " AS __weir_sequence, " + kEnd +
                   " IS NOT NULL AS __weir_delete, " + kDeletedBy + " AS __weir_deleted_by" +
                   Recorded() + " FROM " + plan_.auxiliary.ToSql() +
                   " t SEMI JOIN __weir_batch b ON " + SameKey(plan_.keys, "t", "b"));
}

std::string Scd2Sql::Fill() const {
  const std::string values = Join(plan_.written_when, ", ", [](const auto& column) {
    const std::string name = QuoteIdentifier(column.first);
    return "struct_extract(last_value(CASE WHEN NOT __weir_delete AND "
           "list_contains(__weir_written, " +
           QuoteLiteral(column.first) + ") THEN struct_pack(v := " + name +
           ") END IGNORE NULLS) OVER l, 'v') AS " + name;
  });
  const std::string key = "(PARTITION BY " + Names(plan_.keys);
  return Table("__weir_filled",
               "SELECT * REPLACE (" + values +
                   ") FROM (SELECT *, count(*) FILTER (WHERE __weir_delete) OVER " + key +
                   " ORDER BY " + Order("__weir_sequence") + ") AS __weir_life FROM (" +
                   Distinct(AllEvents()) + ")) WINDOW l AS " + key + ", __weir_life ORDER BY " +
                   Order("__weir_sequence") + " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)");
}

std::string Scd2Sql::Sort() const { return SortEvents(Events()); }

std::string Scd2Sql::SortAgain() const {
  return SortEvents(
      "SELECT * EXCLUDE (__weir_last_sequence, __weir_last_fingerprint, __weir_next_sequence, "
      "__weir_next_fingerprint) FROM __weir_sorted WHERE " +
      Order("__weir_last_sequence") + " IS DISTINCT FROM " + Order("__weir_sequence"));
}

/// Of equal sequences a delete comes first, then what the tables held, then the first to arrive.
std::string Scd2Sql::SortEvents(const std::string& events) const {
  return Table("__weir_sorted",
               "SELECT *, lag(__weir_sequence) OVER w AS __weir_last_sequence, "
               "lag(__weir_fingerprint) OVER w AS "
               "__weir_last_fingerprint, lead(__weir_sequence) OVER w AS __weir_next_sequence, "
               "lead(__weir_fingerprint) OVER w AS __weir_next_fingerprint FROM (" +
                   events + ") WINDOW w AS (PARTITION BY " + Names(plan_.keys) + " ORDER BY " +
                   Order("__weir_sequence") +
                   ", __weir_fingerprint IS NOT NULL, CASE WHEN __weir_origin = 2 THEN "
                   "__weir_place ELSE -1 END)");
}

std::string Scd2Sql::CountNeighbours() const {
  return "SELECT count(*) FILTER (WHERE __weir_last_sequence IS NOT NULL AND " +
         Order("__weir_last_sequence") + " = " + Order("__weir_sequence") +
         "), count(*) FILTER (WHERE __weir_fingerprint IS NOT NULL AND __weir_fingerprint IS NOT "
         "DISTINCT FROM "
         "__weir_last_fingerprint) FROM __weir_sorted";
}

std::string Scd2Sql::Unequal() const {
  const std::string keys = Names(plan_.keys, "e");
  return "SELECT count(*) FROM (SELECT 1 FROM __weir_sorted e JOIN (" + Values(Names(tracked_)) +
         ") v ON e.__weir_origin = v.__weir_origin AND e.__weir_place = v.__weir_place WHERE "
         "e.__weir_fingerprint = "
         "e.__weir_last_fingerprint OR e.__weir_fingerprint = e.__weir_next_fingerprint GROUP BY " +
         keys + ", e.__weir_fingerprint HAVING count(DISTINCT row(" + Names(tracked_, "v") +
         ")) > 1)";
}

std::string Scd2Sql::CutRuns(const Scd2Shape& shape) const {
  const std::string start =
      shape.long_runs
          ? "last_value(CASE WHEN __weir_fingerprint IS NOT NULL AND __weir_fingerprint IS "
            "DISTINCT FROM "
            "__weir_last_fingerprint THEN __weir_sequence END IGNORE NULLS) OVER (PARTITION BY " +
                Names(plan_.keys) + " ORDER BY " + Order("__weir_sequence") +
                " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)"
          : "__weir_sequence";
  const std::string query = "SELECT " + Names(plan_.keys) +
                            ", __weir_sequence, __weir_fingerprint IS NULL AS __weir_delete, "
                            "__weir_origin, __weir_place, __weir_old_start, __weir_old_end, " +
                            start +
                            " AS __weir_start, __weir_next_sequence AS __weir_end, "
                            "__weir_fingerprint IS NOT NULL AND __weir_fingerprint IS "
                            "DISTINCT FROM __weir_next_fingerprint AS __weir_visible, CASE WHEN "
                            "__weir_fingerprint IS NULL THEN "
                            "__weir_last_fingerprint IS NULL ELSE __weir_fingerprint IS NOT "
                            "DISTINCT FROM __weir_next_fingerprint END AS "
                            "__weir_aside FROM __weir_sorted";
  return shape.long_runs ? MaterializedView("__weir_runs", query) : View("__weir_runs", query);
}

std::string Scd2Sql::IsOwn() const { return "coalesce(__weir_old_start = __weir_start, false)"; }

std::string Scd2Sql::RowsStay() const {
  return "SELECT ((SELECT count(*) FROM __weir_old) = (SELECT count(*) FROM __weir_runs WHERE "
         "__weir_visible AND " +
         IsOwn() + "))::INT";
}

std::string Scd2Sql::DiffTarget(const Scd2Shape& shape) const {
  const std::string own = "__weir_visible AND " + IsOwn();
  const std::string ends_elsewhere = own + " AND __weir_old_end IS DISTINCT FROM __weir_end";
  const std::string columns =
      "SELECT " + Names(plan_.keys) + ", __weir_start, __weir_end, __weir_sequence, ";
  if (shape.rows_stay) {
    return View("__weir_changes",
                columns + "CASE WHEN NOT " + IsOwn() +
                    " THEN __weir_origin END AS __weir_origin, "
                    "CASE WHEN NOT " +
                    IsOwn() + " THEN __weir_place END AS __weir_place, CASE WHEN " + IsOwn() +
                    " THEN 'end' ELSE 'insert' END AS __weir_action FROM __weir_runs WHERE " +
                    ends_elsewhere + " OR __weir_visible AND NOT " + IsOwn());
  }
  const std::string different =
      partial()
          ? " LEFT JOIN __weir_filled f ON n.__weir_place = f.rowid LEFT JOIN __weir_old w ON "
            "o.__weir_place "
            "= w.rowid WHERE o.__weir_found IS NULL OR n.__weir_found IS NULL OR n.__weir_end IS "
            "DISTINCT "
            "FROM o.__weir_end OR n.__weir_sequence IS DISTINCT FROM o.__weir_sequence OR row(" +
                Names(plan_.columns, "f") + ") IS DISTINCT FROM row(" + Names(plan_.columns, "w") +
                ")"
          : "";
  return MaterializedView(
      "__weir_changes",
      columns +
          "NULL AS __weir_origin, NULL AS __weir_place, 'end' AS __weir_action FROM "
          "__weir_runs WHERE " +
          ends_elsewhere + " UNION ALL SELECT " + FirstKeys() +
          ", coalesce(n.__weir_start, o.__weir_start) AS __weir_start, n.__weir_end, "
          "n.__weir_sequence, n.__weir_origin, n.__weir_place, CASE WHEN o.__weir_found "
          "IS NULL THEN 'insert' WHEN "
          "n.__weir_found IS NULL THEN 'delete' ELSE 'update' END AS __weir_action FROM "
          "(SELECT *, true "
          "AS __weir_found FROM __weir_runs WHERE __weir_visible AND NOT " +
          IsOwn() + ") n FULL JOIN (SELECT " + Names(plan_.keys) +
          ", __weir_start, __weir_end, __weir_sequence, true AS __weir_found, o.rowid AS "
          "__weir_place FROM "
          "__weir_old o ANTI JOIN (SELECT __weir_place FROM __weir_runs WHERE " +
          own + ") r ON o.rowid = r.__weir_place) o ON " + SameKey(plan_.keys, "n", "o") +
          " AND n.__weir_start = o.__weir_start" + different);
}

std::string Scd2Sql::DiffAuxiliary() const {
  return Table(
      "__weir_auxiliary_changes",
      "SELECT * FROM (SELECT " + FirstKeys() +
          ", coalesce(n.__weir_sequence, o.__weir_sequence) AS __weir_sequence, "
          "coalesce(n.__weir_delete, o.__weir_delete) AS __weir_delete, n.__weir_origin, "
          "n.__weir_place, CASE "
          "WHEN o.__weir_found IS NULL THEN 'insert' WHEN n.__weir_found IS NOT NULL THEN CASE "
          "WHEN "
          "o.__weir_deleted_by IS NULL THEN 'none' ELSE 'revive' END WHEN o.__weir_deleted_by IS "
          "NULL THEN 'mark' WHEN o.__weir_deleted_by = " +
          batch_ +
          " THEN 'none' ELSE 'purge' END AS __weir_action FROM (SELECT *, true AS __weir_found "
          "FROM "
          "__weir_runs WHERE __weir_aside) n FULL JOIN (SELECT *, true AS __weir_found FROM "
          "__weir_old_auxiliary) o ON " +
          SameKey(plan_.keys, "n", "o") +
          " AND n.__weir_sequence = o.__weir_sequence AND n.__weir_delete = o.__weir_delete) "
          "WHERE __weir_action <> 'none'");
}

std::string Scd2Sql::NeedOld() const {
  return "SELECT (SELECT count(*) FROM __weir_changes WHERE __weir_origin < 2), (SELECT count(*) "
         "FROM "
         "__weir_auxiliary_changes WHERE __weir_origin < 2)";
}

std::string Scd2Sql::Count() const {
  const std::string of_batch =
      partial() ? "(SELECT count(*) FROM __weir_filled WHERE __weir_arrival >= 0)"
                : "(SELECT count(*) FROM __weir_sorted WHERE __weir_origin = 2)";
  return "SELECT (SELECT count(*) FROM __weir_auxiliary_changes), count(*) FILTER (WHERE "
         "__weir_action <> 'delete'), count(*) FILTER (WHERE __weir_action = 'delete'), (SELECT "
         "count(*) FROM __weir_batch) - " +
         of_batch +
         ", (SELECT count(*) FROM __weir_auxiliary_changes WHERE __weir_action <> 'insert'), "
         "count(*) FILTER (WHERE __weir_action <> 'insert') FROM __weir_changes";
}

std::string Scd2Sql::InsertColumns() const {
  return " (" + Names(plan_.columns) + ", " + kStart + ", " + kEnd + ", " +
         QuoteIdentifier(kMetadataColumn) + ")";
}

std::string Scd2Sql::InsertAuxiliary(const Scd2Shape& shape) const {
  return "INSERT INTO " + plan_.auxiliary.ToSql() + InsertColumns() + " SELECT " +
         Names(plan_.columns, "s") +
         ", s.__weir_sequence, CASE WHEN s.__weir_delete THEN s.__weir_sequence END, " +
         Metadata() + " FROM " + WithValues("__weir_auxiliary_changes", shape.auxiliary_needs_old) +
         " s";
}

std::string Scd2Sql::InsertTarget(const Scd2Shape& shape) const {
  return "INSERT INTO " + plan_.target.ToSql() + InsertColumns() + " SELECT " +
         Names(plan_.columns, "s") + ", s.__weir_start, s.__weir_end, " + Metadata() + " FROM " +
         WithValues("__weir_changes", shape.target_needs_old) + " s";
}

std::string Scd2Sql::MergeAuxiliary(const Scd2Shape& shape) const {
  const std::string end = "CASE WHEN s.__weir_delete THEN s.__weir_sequence END";
  return "MERGE INTO " + plan_.auxiliary.ToSql() + " AS t USING " +
         WithValues("__weir_auxiliary_changes", shape.auxiliary_needs_old) + " AS s ON " +
         SameKey(plan_.keys, "t", "s") + " AND t." + kStart + " = s.__weir_sequence AND (t." +
         kEnd +
         " IS NOT NULL) = s.__weir_delete WHEN MATCHED AND s.__weir_action = 'purge' THEN DELETE "
         "WHEN MATCHED THEN UPDATE SET " +
         kDeletedBy + " = CASE WHEN s.__weir_action = 'mark' THEN " + batch_ +
         " END WHEN NOT MATCHED THEN INSERT" + InsertColumns() + " VALUES (" +
         Names(plan_.columns, "s") + ", s.__weir_sequence, " + end + ", " + Metadata() + ")";
}

std::string Scd2Sql::MergeTarget(const Scd2Shape& shape) const {
  const std::string assignments = Join(plan_.columns, ", ", [](const Column& column) {
    return QuoteIdentifier(column.name) + " = " + In("s", column.name);
  });
  return "MERGE INTO " + plan_.target.ToSql() + " AS t USING " +
         WithValues("__weir_changes", shape.target_needs_old) + " AS s ON " +
         SameKey(plan_.keys, "t", "s") + " AND t." + kStart +
         " = s.__weir_start WHEN MATCHED AND s.__weir_action = 'end' THEN UPDATE SET " + kEnd +
         " = s.__weir_end WHEN MATCHED AND s.__weir_action = 'delete' THEN DELETE WHEN MATCHED "
         "THEN UPDATE SET " +
         assignments + ", " + kEnd + " = s.__weir_end, " + QuoteIdentifier(kMetadataColumn) +
         " = " + Metadata() + " WHEN NOT MATCHED THEN INSERT" + InsertColumns() + " VALUES (" +
         Names(plan_.columns, "s") + ", s.__weir_start, s.__weir_end, " + Metadata() + ")";
}

std::string Scd2Sql::Order(const std::string& expression) const {
  return OrderKey(expression, plan_.sequence_type);
}

std::string Scd2Sql::Fingerprint() const {
  if (tracked_.empty()) return "true";
  if (hashed_) return "hash(" + Names(tracked_) + ")";
  return "struct_pack(" +
         Join(tracked_, ", ",
              [](const Column& column) {
                return QuoteIdentifier(column.name) + " := " + QuoteIdentifier(column.name);
              }) +
         ")";
}

std::string Scd2Sql::Written() const { return partial() ? ", __weir_written" : ""; }

std::string Scd2Sql::Recorded() const {
  if (!partial()) return "";
  return ", struct_extract(" + QuoteIdentifier(kMetadataColumn) +
         ", 'writtenColumns') AS __weir_written";
}

std::string Scd2Sql::WrittenByBatch() const {
  if (!partial()) return "";
  std::string names;
  for (size_t i = 0; i < plan_.written_when.size(); ++i) {
    names += (i == 0 ? "" : ", ") + ("CASE WHEN __weir_writes_" + std::to_string(i)) + " THEN " +
             QuoteLiteral(plan_.written_when[i].first) + " END";
  }
  return ", list_filter([" + names + "], lambda name: name IS NOT NULL)";
}

/// What the runs are cut from.
std::string Scd2Sql::Events() const {
  const std::string keys = Names(plan_.keys);
  const std::string type = plan_.sequence_type.ToString();
  const std::string nowhere = ", CAST(NULL AS " + type + ") AS __weir_old_start, CAST(NULL AS " +
                              type + ") AS __weir_old_end";
  const std::string unless_delete = "CASE WHEN NOT __weir_delete THEN " + Fingerprint() + " END";
  const std::string event = "SELECT " + keys + ", __weir_sequence, ";
  if (partial()) {
    return event + "3 AS __weir_origin, rowid AS __weir_place, " + unless_delete +
           " AS __weir_fingerprint" + nowhere + " FROM __weir_filled";
  }
  return event + "0 AS __weir_origin, rowid AS __weir_place, " +
         (hashed_ ? "__weir_fingerprint" : Fingerprint() + " AS __weir_fingerprint") +
         ", __weir_start AS __weir_old_start, __weir_end AS __weir_old_end FROM __weir_old UNION "
         "ALL SELECT " +
         Names(plan_.keys, "o") + ", o.__weir_end, NULL, NULL, NULL, NULL, NULL" + EndsOfOldRows() +
         " UNION ALL " + event + "1, rowid, " + unless_delete +
         ", NULL, NULL FROM __weir_old_auxiliary WHERE __weir_deleted_by IS NULL OR "
         "__weir_deleted_by = " +
         batch_ + " UNION ALL " + event + "2, rowid, " + unless_delete +
         ", NULL, NULL FROM __weir_batch";
}

/// The deletes that old rows tell of.
std::string Scd2Sql::EndsOfOldRows() const {
  return " FROM __weir_old o ANTI JOIN __weir_old n ON " + SameKey(plan_.keys, "o", "n") +
         " AND o.__weir_end = n.__weir_start WHERE o.__weir_end IS NOT NULL";
}

/// Of partial updates: all events of the batch's keys, those of the tables too, with their values.
std::string Scd2Sql::AllEvents() const {
  const std::string keys = Names(plan_.keys);
  const auto values = [&](const std::string& written) {
    return (others_.empty() ? "" : ", " + Names(others_)) + written;
  };
  std::string nulls;
  for (size_t i = 0; i <= others_.size(); ++i) nulls += ", NULL";
  return "SELECT " + keys + ", __weir_sequence, false AS __weir_delete, -1 AS __weir_arrival" +
         values(Written()) + " FROM __weir_old UNION ALL SELECT " + Names(plan_.keys, "o") +
         ", o.__weir_end, true, -1" + nulls + EndsOfOldRows() + " UNION ALL SELECT " + keys +
         ", __weir_sequence, __weir_delete, -1" + values(Written()) +
         " FROM __weir_old_auxiliary WHERE __weir_deleted_by IS NULL OR __weir_deleted_by = " +
         batch_ + " UNION ALL SELECT " + keys + ", __weir_sequence, __weir_delete, rowid" +
         values(WrittenByBatch()) + " FROM __weir_batch";
}

/// In the order of SortEvents.
std::string Scd2Sql::Distinct(const std::string& events) const {
  return "SELECT * FROM (" + events + ") QUALIFY row_number() OVER (PARTITION BY " +
         Names(plan_.keys) + ", " + Order("__weir_sequence") +
         " ORDER BY __weir_delete DESC, __weir_arrival) = 1";
}

std::string Scd2Sql::FirstKeys() const {
  return Join(plan_.keys, ", ", [](const std::string& key) {
    return "coalesce(" + In("n", key) + ", " + In("o", key) + ") AS " + QuoteIdentifier(key);
  });
}

/// __weir_old with values; where it has fingerprints alone, they are read from the target again.
std::string Scd2Sql::OldValues(const std::string& columns) const {
  if (!hashed_)
    return "SELECT 0 AS __weir_origin, rowid AS __weir_place, " + columns + " FROM __weir_old";
  return "SELECT 0 AS __weir_origin, o.__weir_place, " + columns + " FROM (SELECT " +
         Names(plan_.columns) + ", " + kStart + " FROM " + plan_.target.ToSql() +
         ") t JOIN (SELECT " +
         Join(plan_.keys, ", ",
              [](const std::string& key) {
                return QuoteIdentifier(key) + " AS " + QuoteIdentifier("__weir_key_" + key);
              }) +
         ", __weir_start, rowid AS __weir_place FROM __weir_old) o ON " +
         Join(plan_.keys, " AND ",
              [](const std::string& key) {
                return In("t", key) + " = " + In("o", "__weir_key_" + key);
              }) +
         " AND t." + kStart + " = o.__weir_start";
}

/// The place and some columns of all events.
std::string Scd2Sql::Values(const std::string& columns) const {
  if (partial()) {
    return "SELECT 3 AS __weir_origin, rowid AS __weir_place, " + columns + " FROM __weir_filled";
  }
  return "SELECT 2 AS __weir_origin, rowid AS __weir_place, " + columns +
         " FROM __weir_batch UNION ALL SELECT 1, rowid, " + columns +
         " FROM __weir_old_auxiliary UNION ALL " + OldValues(columns);
}

/// Changes with the values of their events; those without an event have the key alone.
std::string Scd2Sql::WithValues(const std::string& changes, bool needs_old) const {
  const std::string columns =
      (others_.empty() ? "NULL AS __weir_nothing" : Names(others_)) + Written();
  if (partial() || needs_old) {
    return "(SELECT d.*, v.* EXCLUDE (__weir_origin, __weir_place) FROM " + changes +
           " d LEFT JOIN (" + Values(columns) +
           ") v ON d.__weir_origin = v.__weir_origin AND d.__weir_place = v.__weir_place)";
  }
  std::string nulls;
  for (size_t i = 0; i < std::max<size_t>(others_.size(), 1); ++i) nulls += ", NULL";
  // Said so that the batch, which is wide, passes by a table of the changes, which are narrow.
  return "(SELECT d.*, " + columns + " FROM __weir_batch b JOIN (SELECT * FROM " + changes +
         " WHERE __weir_origin = 2) d ON d.__weir_place = b.rowid UNION ALL SELECT *" + nulls +
         " FROM " + changes + " WHERE __weir_origin IS DISTINCT FROM 2)";
}

std::string Scd2Sql::Metadata() const {
  return std::string("struct_pack(\"__RECORD_START_AT\" := s.__weir_sequence") +
         (partial() ? ", \"writtenColumns\" := s.__weir_written)" : ")");
}

}  // namespace weir::pipeline
