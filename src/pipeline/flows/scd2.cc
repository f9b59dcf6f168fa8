// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "pipeline/flows/batch.h"
#include "pipeline/flows/commit_batch.h"
#include "pipeline/flows/sql_text.h"

namespace weir::pipeline {
namespace {

/// The SQL of one SCD type 2 flow.
///
/// All events of a key that still matter can be read back from the two tables. A row of the target
/// is the last event of a run of equal upserts, at __RECORD_START_AT; an END_AT at which no other
/// row starts was a delete. The side table holds the rest: the other upserts of each run (END_AT is
/// NULL), and deletes that closed no row (END_AT = START_AT). A batch adds its events to those of
/// its keys, and the runs are cut anew.
///
/// An event of a partial update (IGNORE NULL UPDATES, COLUMNS TO UPDATE) says in its metadata which
/// columns it wrote; the others take the value of the event before it in the same life, anew with
/// each batch, so that late events reach those behind them.
///
/// __weir_old, __weir_old_auxiliary (state of the batch's keys) [-> __weir_filled (every event of
/// partial updates with all its values)] -> __weir_runs (every event and what becomes of it)
/// -> __weir_changes, __weir_auxiliary_changes (what to do to the tables). From __weir_runs on an
/// event is the place of its values, (origin, row); they are looked up when the tables are merged.
class Scd2Sql {
 public:
  Scd2Sql(const AutoCdcPlan& plan, int64_t batch) : plan_(plan), batch_(std::to_string(batch)) {}

  std::string ReadTarget() const {
    return "CREATE OR REPLACE TEMP TABLE __weir_old AS SELECT " + Names(plan_.columns) + ", " +
           kStart + " AS __weir_start, " + kEnd + " AS __weir_end, coalesce(" + Record("t") + ", " +
           kStart + ") AS __weir_sequence" + Recorded() + " FROM " + plan_.target.ToSql() +
           " t SEMI JOIN __weir_batch b ON " + SameKey(plan_.keys, "t", "b");
  }

  std::string ReadAuxiliary() const {
    return "CREATE OR REPLACE TEMP TABLE __weir_old_auxiliary AS SELECT " + Names(plan_.columns) +
           ", " + kStart + " AS __weir_sequence, " + kEnd + " IS NOT NULL AS __weir_delete, " +
           kDeletedBy + " AS __weir_deleted_by" + Recorded() + " FROM " + plan_.auxiliary.ToSql() +
           " t SEMI JOIN __weir_batch b ON " + SameKey(plan_.keys, "t", "b");
  }

  /// Only for partial updates.
  std::string Fill() const {
    const std::string values = Join(plan_.written_when, ", ", [](const auto& column) {
      const std::string name = QuoteIdentifier(column.first);
      return "struct_extract(last_value(CASE WHEN NOT __weir_delete AND "
             "list_contains(__weir_written, " +
             QuoteLiteral(column.first) + ") THEN struct_pack(v := " + name +
             ") END IGNORE NULLS) OVER l, 'v') AS " + name;
    });
    const std::string key = "(PARTITION BY " + Names(plan_.keys);
    return "CREATE OR REPLACE TEMP TABLE __weir_filled AS SELECT * REPLACE (" + values +
           ") FROM (SELECT *, count(*) FILTER (WHERE __weir_delete) OVER " + key + " ORDER BY " +
           Order("__weir_sequence") + ") AS life FROM (" + Distinct(AllEvents(plan_.columns)) +
           ")) WINDOW l AS " + key + ", life ORDER BY " + Order("__weir_sequence") +
           " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)";
  }

  std::string CutRuns() const {
    const std::string window =
        "(PARTITION BY " + Names(plan_.keys) + " ORDER BY " + Order("__weir_sequence") + ")";
    const std::string changed = plan_.tracked.empty()
                                    ? "false"
                                    : Tracked() + " IS DISTINCT FROM lag(" + Tracked() + ") OVER w";
    const std::string event =
        Names(plan_.keys) + ", __weir_sequence, __weir_delete, arrival, origin, place";
    return "CREATE OR REPLACE TEMP TABLE __weir_runs AS WITH events AS (" + Events() +
           "), heads AS (SELECT " + event +
           ", lag(__weir_delete) OVER w AS after_delete, NOT __weir_delete AND "
           "(coalesce(lag(__weir_delete) OVER w, true) OR " +
           changed + ") AS head FROM events WINDOW w AS " + window +
           "), runs AS (SELECT *, lead(__weir_sequence) OVER w AS next_sequence, "
           "coalesce(lead(__weir_delete OR head) OVER w, true) AS ends, last_value(CASE WHEN head "
           "THEN __weir_sequence END IGNORE NULLS) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND "
           "CURRENT ROW) AS start FROM heads WINDOW w AS " +
           window + ") SELECT " + event +
           ", start AS __weir_start, next_sequence AS __weir_end, NOT __weir_delete AND ends AS "
           "__weir_visible, CASE WHEN __weir_delete THEN coalesce(after_delete, true) ELSE NOT "
           "ends END AS __weir_aside FROM runs";
  }

  std::string DiffTarget() const {
    return "CREATE OR REPLACE TEMP TABLE __weir_changes AS SELECT " + FirstKeys() +
           ", coalesce(n.__weir_start, o.__weir_start) AS __weir_start, n.__weir_end, "
           "n.__weir_sequence, n.origin, n.place, CASE WHEN o.found IS NULL THEN 'insert' WHEN "
           "n.found IS NULL THEN 'delete' ELSE 'update' END AS __weir_action FROM (SELECT *, true "
           "AS found FROM __weir_runs WHERE __weir_visible) n FULL JOIN (SELECT " +
           Names(plan_.keys) +
           ", __weir_start, __weir_end, __weir_sequence, true AS found, rowid AS place FROM "
           "__weir_old) o ON " +
           SameKey(plan_.keys, "n", "o") + " AND n.__weir_start = o.__weir_start" +
           (partial() ? " LEFT JOIN __weir_filled f ON n.place = f.rowid LEFT JOIN __weir_old w ON "
                        "o.place = w.rowid"
                      : "") +
           " WHERE o.found IS NULL OR n.found IS NULL OR n.__weir_end IS DISTINCT FROM "
           "o.__weir_end OR n.__weir_sequence IS DISTINCT FROM o.__weir_sequence" +
           (partial() ? " OR row(" + Names(plan_.columns, "f") + ") IS DISTINCT FROM row(" +
                            Names(plan_.columns, "w") + ")"
                      : "");
  }

  std::string DiffAuxiliary() const {
    return "CREATE OR REPLACE TEMP TABLE __weir_auxiliary_changes AS SELECT * FROM (SELECT " +
           FirstKeys() +
           ", coalesce(n.__weir_sequence, o.__weir_sequence) AS __weir_sequence, "
           "coalesce(n.__weir_delete, o.__weir_delete) AS __weir_delete, n.origin, n.place, CASE "
           "WHEN o.found IS NULL THEN 'insert' WHEN n.found IS NOT NULL THEN CASE WHEN "
           "o.__weir_deleted_by IS NULL THEN 'none' ELSE 'revive' END WHEN o.__weir_deleted_by IS "
           "NULL THEN 'mark' WHEN o.__weir_deleted_by = " +
           batch_ +
           " THEN 'none' ELSE 'purge' END AS __weir_action FROM (SELECT *, true AS found FROM "
           "__weir_runs WHERE __weir_aside) n FULL JOIN (SELECT *, true AS found FROM "
           "__weir_old_auxiliary) o ON " +
           SameKey(plan_.keys, "n", "o") +
           " AND n.__weir_sequence = o.__weir_sequence AND n.__weir_delete = o.__weir_delete) "
           "WHERE __weir_action <> 'none'";
  }

  std::string Count() const {
    return "SELECT (SELECT count(*) FROM __weir_auxiliary_changes), count(*) FILTER (WHERE "
           "__weir_action <> 'delete'), count(*) FILTER (WHERE __weir_action = 'delete'), (SELECT "
           "count(*) FROM __weir_batch) - (SELECT count(*) FROM __weir_runs WHERE arrival >= 0), "
           "(SELECT count(*) FROM __weir_auxiliary_changes WHERE __weir_action <> 'insert'), "
           "count(*) FILTER (WHERE __weir_action <> 'insert') FROM __weir_changes";
  }

  std::string InsertAuxiliary() const {
    return "INSERT INTO " + plan_.auxiliary.ToSql() + " (" + Names(plan_.columns) + ", " + kStart +
           ", " + kEnd + ", " + QuoteIdentifier(kMetadataColumn) + ") SELECT " +
           Names(plan_.columns, "s") +
           ", s.__weir_sequence, CASE WHEN s.__weir_delete THEN s.__weir_sequence END, " +
           Metadata() + " FROM " + WithValues("__weir_auxiliary_changes") + " s";
  }

  std::string InsertTarget() const {
    return "INSERT INTO " + plan_.target.ToSql() + " (" + Names(plan_.columns) + ", " + kStart +
           ", " + kEnd + ", " + QuoteIdentifier(kMetadataColumn) + ") SELECT " +
           Names(plan_.columns, "s") + ", s.__weir_start, s.__weir_end, " + Metadata() + " FROM " +
           WithValues("__weir_changes") + " s";
  }

  std::string MergeAuxiliary() const {
    const std::string end = "CASE WHEN s.__weir_delete THEN s.__weir_sequence END";
    return "MERGE INTO " + plan_.auxiliary.ToSql() + " AS t USING " +
           WithValues("__weir_auxiliary_changes") + " AS s ON " + SameKey(plan_.keys, "t", "s") +
           " AND t." + kStart + " = s.__weir_sequence AND (t." + kEnd +
           " IS NOT NULL) = s.__weir_delete WHEN MATCHED AND s.__weir_action = 'purge' THEN DELETE "
           "WHEN MATCHED THEN "
           "UPDATE SET " +
           kDeletedBy + " = CASE WHEN s.__weir_action = 'mark' THEN " + batch_ +
           " END WHEN NOT MATCHED THEN INSERT (" + Names(plan_.columns) + ", " + kStart + ", " +
           kEnd + ", " + QuoteIdentifier(kMetadataColumn) + ") VALUES (" +
           Names(plan_.columns, "s") + ", s.__weir_sequence, " + end + ", " + Metadata() + ")";
  }

  std::string MergeTarget() const {
    const std::string assignments = Join(plan_.columns, ", ", [](const Column& column) {
      return QuoteIdentifier(column.name) + " = " + In("s", column.name);
    });
    return "MERGE INTO " + plan_.target.ToSql() + " AS t USING " + WithValues("__weir_changes") +
           " AS s ON " + SameKey(plan_.keys, "t", "s") + " AND t." + kStart +
           " = s.__weir_start WHEN MATCHED AND s.__weir_action = 'delete' THEN DELETE WHEN MATCHED "
           "THEN UPDATE SET " +
           assignments + ", " + kEnd + " = s.__weir_end, " + QuoteIdentifier(kMetadataColumn) +
           " = " + Metadata() + " WHEN NOT MATCHED THEN INSERT (" + Names(plan_.columns) + ", " +
           kStart + ", " + kEnd + ", " + QuoteIdentifier(kMetadataColumn) + ") VALUES (" +
           Names(plan_.columns, "s") + ", s.__weir_start, s.__weir_end, " + Metadata() + ")";
  }

 private:
  std::string Order(const std::string& expression) const {
    return OrderKey(expression, plan_.sequence_type);
  }

  std::string Record(std::string_view alias) const {
    return "struct_extract(" + In(alias, kMetadataColumn) + ", '__RECORD_START_AT')";
  }

  std::string Tracked() const { return "row(" + Names(plan_.tracked) + ")"; }

  bool partial() const { return !plan_.written_when.empty(); }

  /// The list of the columns that an event wrote, behind the other columns of a relation; "" when
  /// every event writes them all.
  std::string Written() const { return partial() ? ", __weir_written" : ""; }

  /// The same as a table's metadata has it.
  std::string Recorded() const {
    if (!partial()) return "";
    return ", struct_extract(" + QuoteIdentifier(kMetadataColumn) +
           ", 'writtenColumns') AS __weir_written";
  }

  /// The same as the batch's events have it.
  std::string WrittenByBatch() const {
    if (!partial()) return "";
    std::string names;
    for (size_t i = 0; i < plan_.written_when.size(); ++i) {
      names += (i == 0 ? "" : ", ") + ("CASE WHEN __weir_writes_" + std::to_string(i)) + " THEN " +
               QuoteLiteral(plan_.written_when[i].first) + " END";
    }
    return ", list_filter([" + names + "], lambda name: name IS NOT NULL)";
  }

  /// What the runs are cut from: each sequence of a key once.
  std::string Events() const {
    std::vector<Column> tracked;
    for (const std::string& name : plan_.tracked)
      tracked.push_back(*FindColumn(plan_.columns, name));
    if (!partial()) return Distinct(AllEvents(tracked));
    return "SELECT " + Names(plan_.keys) +
           ", __weir_sequence, __weir_delete, arrival, 3 AS origin, "
           "rowid AS place" +
           (tracked.empty() ? "" : ", " + Names(plan_.tracked)) + " FROM __weir_filled";
  }

  std::string FirstKeys() const {
    return Join(plan_.keys, ", ", [](const std::string& key) {
      return "coalesce(" + In("n", key) + ", " + In("o", key) + ") AS " + QuoteIdentifier(key);
    });
  }

  /// Changes with the values of their events; those without an event have the key alone.
  std::string WithValues(const std::string& changes) const {
    const std::vector<Column> others = Others(plan_.columns);
    std::string values = "SELECT 3 AS origin, rowid AS place, ";
    const std::string columns = Names(others) + (others.empty() ? "NULL" : "") + Written();
    if (partial()) {
      values += columns + " FROM __weir_filled";
    } else {
      values = "SELECT 0 AS origin, rowid AS place, " + columns +
               " FROM __weir_old UNION ALL SELECT 1, rowid, " + columns +
               " FROM __weir_old_auxiliary UNION ALL SELECT 2, rowid, " + columns +
               " FROM __weir_batch";
    }
    return "(SELECT d.*, v.* EXCLUDE (origin, place) FROM " + changes + " d LEFT JOIN (" + values +
           ") v ON d.origin = v.origin AND d.place = v.place)";
  }

  std::vector<Column> Others(std::vector<Column> columns) const {
    std::erase_if(columns, [&](const Column& column) {
      return std::ranges::find(plan_.keys, column.name) != plan_.keys.end();
    });
    return columns;
  }

  std::string Metadata() const {
    return std::string("struct_pack(\"__RECORD_START_AT\" := s.__weir_sequence") +
           (partial() ? ", \"writtenColumns\" := s.__weir_written)" : ")");
  }

  /// Of equal sequences a delete comes first, then what the tables held, then the first to arrive.
  std::string Distinct(const std::string& events) const {
    return "SELECT * FROM (" + events + ") QUALIFY row_number() OVER (PARTITION BY " +
           Names(plan_.keys) + ", " + Order("__weir_sequence") +
           " ORDER BY __weir_delete DESC, arrival) = 1";
  }

  /// All events of the batch's keys, those of the tables too, with the values of some columns.
  std::string AllEvents(const std::vector<Column>& columns) const {
    const std::vector<Column> others = Others(columns);
    const std::string keys = Names(plan_.keys);
    const auto values = [&](const std::string& written) {
      return (others.empty() ? "" : ", " + Names(others)) + written;
    };
    std::string nulls;
    for (size_t i = 0; i < others.size() + (partial() ? 1 : 0); ++i) nulls += ", NULL";
    return "SELECT " + keys +
           ", __weir_sequence, false AS __weir_delete, -1 AS arrival, 0 AS origin, rowid AS place" +
           values(Written()) + " FROM __weir_old UNION ALL SELECT " + Names(plan_.keys, "o") +
           ", o.__weir_end, true, -1, NULL, NULL" + nulls +
           " FROM __weir_old o ANTI JOIN __weir_old n ON " + SameKey(plan_.keys, "o", "n") +
           " AND o.__weir_end = n.__weir_start WHERE o.__weir_end IS NOT NULL UNION ALL SELECT " +
           keys + ", __weir_sequence, __weir_delete, -1, 1, rowid" + values(Written()) +
           " FROM __weir_old_auxiliary WHERE __weir_deleted_by IS NULL OR __weir_deleted_by = " +
           batch_ + " UNION ALL SELECT " + keys +
           ", __weir_sequence, __weir_delete, rowid, 2, rowid" + values(WrittenByBatch()) +
           " FROM __weir_batch";
  }

  static constexpr const char* kStart = "\"__START_AT\"";
  static constexpr const char* kEnd = "\"__END_AT\"";
  static constexpr const char* kDeletedBy = "\"__spark_autocdc_deleted_by_batch_id\"";

  const AutoCdcPlan& plan_;
  std::string batch_;
};

}  // namespace

Result<BatchCounts> ApplyScd2(engine::Session& session, TableStore& store, const AutoCdcPlan& plan,
                              const BatchId& batch) {
  const Scd2Sql sql(plan, batch.number);
  std::vector<std::string> steps = {sql.ReadTarget(), sql.ReadAuxiliary()};
  if (!plan.written_when.empty()) steps.push_back(sql.Fill());
  for (const std::string& step : {sql.CutRuns(), sql.DiffTarget(), sql.DiffAuxiliary()})
    steps.push_back(step);
  for (const std::string& step : steps) WEIR_RETURN_IF_ERROR(session.Execute(step));
  return CommitBatch(session, store, plan, batch,
                     {sql.Count(), sql.MergeAuxiliary(), sql.MergeTarget(), sql.InsertAuxiliary(),
                      sql.InsertTarget()});
}

}  // namespace weir::pipeline
