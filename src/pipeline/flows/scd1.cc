// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "pipeline/flows/batch.h"
#include "pipeline/flows/commit_batch.h"
#include "pipeline/flows/sql_text.h"

namespace weir::pipeline {
namespace {

/// The SQL of one SCD type 1 flow. Every step leaves its result in a temporary table of the
/// session: __weir_batch (all events) -> __weir_decided (the winner of each key, as the batch's
/// row, and what it does to both tables). The events' values are looked up by row when they are
/// merged, so no step in between carries them.
class Scd1Sql {
 public:
  explicit Scd1Sql(const AutoCdcPlan& plan) : plan_(plan) {}

  std::string Decide() const {
    const std::string sequence = Order("f.__weir_sequence");
    const std::string tombstone = Order("a.__weir_sequence");
    const std::string have = Order("t.__weir_sequence");
    return "CREATE OR REPLACE TEMP TABLE __weir_decided AS SELECT f.*, "
           "CASE WHEN f.__weir_delete THEN CASE WHEN a.__weir_found IS NULL THEN 'insert' WHEN " +
           sequence + " > " + tombstone +
           " THEN 'update' ELSE 'none' END WHEN a.__weir_found AND " + sequence +
           " >= " + tombstone +
           " THEN 'delete' ELSE 'none' END AS __weir_auxiliary, "
           "CASE WHEN f.__weir_delete THEN CASE WHEN t.__weir_found IS NULL THEN 'none' WHEN "
           "t.__weir_sequence "
           "IS NULL OR " +
           sequence + " > " + have + " THEN 'delete' ELSE 'late' END WHEN a.__weir_found AND " +
           sequence + " < " + tombstone + " THEN 'late' WHEN " + IsTruncated(sequence) +
           " THEN 'late' WHEN t.__weir_found IS NULL THEN 'insert' WHEN t.__weir_sequence IS NULL "
           "OR " +
           sequence + " >= " + have + " THEN 'update' ELSE 'late' END AS __weir_target FROM (" +
           Winners() + ") f LEFT JOIN (" + State(plan_.target, "upsertSequence") + ") t ON " +
           SameKey(plan_.keys, "f", "t") + " LEFT JOIN (" +
           State(plan_.auxiliary, "deleteSequence") + ") a ON " + SameKey(plan_.keys, "f", "a") +
           (truncates() ? " LEFT JOIN __weir_truncation x ON true" : "");
  }

  bool truncates() const { return !plan_.truncate_when.empty(); }

  /// The newest truncation there is; `fresh` when it came with this batch. The side table keeps it
  /// as the row whose keys are NULL.
  std::string FindTruncation() const {
    return "CREATE OR REPLACE TEMP TABLE __weir_truncation AS SELECT __weir_sequence, __weir_fresh "
           "FROM (SELECT "
           "__weir_sequence AS __weir_sequence, true AS __weir_fresh FROM __weir_batch WHERE "
           "__weir_truncate "
           "UNION ALL SELECT "
           "struct_extract(" +
           QuoteIdentifier(kMetadataColumn) + ", 'deleteSequence'), false FROM " +
           plan_.auxiliary.ToSql() + " WHERE " + QuoteIdentifier(plan_.keys[0]) +
           " IS NULL) ORDER BY " + Order("__weir_sequence") + " DESC, __weir_fresh LIMIT 1";
  }

  /// Adds, for a fresh truncation, the deletes of all older rows and the side table's row.
  std::string DecideTruncation() const {
    const std::string no_keys =
        Join(plan_.keys, ", ", [](const std::string&) { return std::string("NULL"); });
    return "INSERT INTO __weir_decided (" + Names(plan_.keys) +
           ", __weir_sequence, __weir_delete, __weir_auxiliary, __weir_target) SELECT " +
           Names(plan_.keys, "t") + ", x.__weir_sequence, true, 'none', 'delete' FROM (" +
           State(plan_.target, "upsertSequence") +
           ") t JOIN __weir_truncation x ON x.__weir_fresh ANTI JOIN (SELECT * FROM __weir_decided "
           "WHERE "
           "__weir_target IN "
           "('update', 'delete')) d ON " +
           SameKey(plan_.keys, "t", "d") + " WHERE t.__weir_sequence IS NULL OR " +
           Order("t.__weir_sequence") + " < " + Order("x.__weir_sequence") + " UNION ALL SELECT " +
           no_keys +
           ", __weir_sequence, true, 'update', 'none' FROM __weir_truncation WHERE __weir_fresh";
  }

  std::string Count() const {
    return "SELECT count(*) FILTER (WHERE __weir_auxiliary <> 'none'), count(*) FILTER (WHERE "
           "__weir_target IN "
           "('insert', 'update')), count(*) FILTER (WHERE __weir_target = 'delete'), count(*) "
           "FILTER (WHERE "
           "__weir_target = 'late'), count(*) FILTER (WHERE __weir_auxiliary IN ('update', "
           "'delete')), count(*) FILTER (WHERE __weir_target IN ('update', 'delete')) FROM "
           "__weir_decided";
  }

  std::string MergeAuxiliary() const {
    const std::string metadata = Metadata("s.__weir_sequence", "NULL");
    return "MERGE INTO " + plan_.auxiliary.ToSql() +
           " AS t USING (SELECT * FROM __weir_decided WHERE __weir_auxiliary <> 'none') AS s ON " +
           AuxiliaryKey() + " WHEN MATCHED AND s.__weir_auxiliary = 'delete' THEN DELETE" +
           " WHEN MATCHED THEN UPDATE SET " + QuoteIdentifier(kMetadataColumn) + " = " + metadata +
           " WHEN NOT MATCHED THEN INSERT (" + Names(plan_.keys) + ", " +
           QuoteIdentifier(kMetadataColumn) + ") VALUES (" + Names(plan_.keys, "s") + ", " +
           metadata + ")";
  }

  std::string InsertAuxiliary() const {
    return "INSERT INTO " + plan_.auxiliary.ToSql() + " (" + Names(plan_.keys) + ", " +
           QuoteIdentifier(kMetadataColumn) + ") SELECT " + Names(plan_.keys, "s") + ", " +
           Metadata("s.__weir_sequence", "NULL") +
           " FROM __weir_decided s WHERE __weir_auxiliary = 'insert'";
  }

  std::string InsertTarget() const {
    return "INSERT INTO " + plan_.target.ToSql() + " (" + Names(plan_.columns) + ", " +
           QuoteIdentifier(kMetadataColumn) + ") SELECT " + Names(plan_.columns, "s") + ", " +
           Metadata("NULL", "s.__weir_sequence") + " FROM (" + Decided() + ") s";
  }

  std::string MergeTarget() const {
    const std::string metadata = Metadata("NULL", "s.__weir_sequence");
    const std::string assignments = Join(plan_.columns, ", ", [](const Column& column) {
      return QuoteIdentifier(column.name) + " = " + In("s", column.name);
    });
    return "MERGE INTO " + plan_.target.ToSql() + " AS t USING (" + Decided() + ") AS s ON " +
           SameKey(plan_.keys, "t", "s") +
           " WHEN MATCHED AND s.__weir_target = 'delete' THEN DELETE" +
           " WHEN MATCHED THEN UPDATE SET " + assignments + ", " +
           QuoteIdentifier(kMetadataColumn) + " = " + metadata + " WHEN NOT MATCHED THEN INSERT (" +
           Names(plan_.columns) + ", " + QuoteIdentifier(kMetadataColumn) + ") VALUES (" +
           Names(plan_.columns, "s") + ", " + metadata + ")";
  }

 private:
  /// The event of each key that counts: the newest; of equals an upsert, and the last to arrive.
  std::string Winners() const {
    return "SELECT " + Names(plan_.keys) +
           ", __weir_sequence, __weir_delete, rowid AS __weir_row FROM __weir_batch WHERE NOT "
           "__weir_truncate QUALIFY row_number() OVER (PARTITION BY " +
           Names(plan_.keys) + " ORDER BY " + Order("__weir_sequence") +
           " DESC, __weir_delete, rowid DESC) = 1";
  }

  /// What changes the target, with the values of the events. The deletes of a truncation have none.
  std::string Decided() const {
    std::string columns;
    for (const Column& column : plan_.columns) {
      const bool is_key = std::ranges::find(plan_.keys, column.name) != plan_.keys.end();
      columns += ", " + In(is_key ? "d" : "b", column.name);
    }
    return "SELECT d.__weir_sequence, d.__weir_target" + columns +
           " FROM __weir_decided d LEFT JOIN __weir_batch b ON d.__weir_row = b.rowid WHERE "
           "d.__weir_target NOT IN ('none', 'late')";
  }

  std::string IsTruncated(const std::string& sequence) const {
    return truncates()
               ? "x.__weir_fresh IS NOT NULL AND " + sequence + " < " + Order("x.__weir_sequence")
               : "false";
  }

  /// Null-safe where the row of a truncation, which has no keys, must be found.
  std::string AuxiliaryKey() const {
    if (!truncates()) return SameKey(plan_.keys, "t", "s");
    return Join(plan_.keys, " AND ", [](const std::string& key) {
      return In("t", key) + " IS NOT DISTINCT FROM " + In("s", key);
    });
  }

  std::string Order(const std::string& expression) const {
    return OrderKey(expression, plan_.sequence_type);
  }

  std::string State(const QualifiedName& table, const std::string& field) const {
    return "SELECT " + Names(plan_.keys) + ", struct_extract(" + QuoteIdentifier(kMetadataColumn) +
           ", '" + field + "') AS __weir_sequence, true AS __weir_found FROM " + table.ToSql();
  }

  std::string Metadata(const std::string& deleted, const std::string& upserted) const {
    const std::string type = plan_.sequence_type.ToString();
    return "struct_pack(deleteSequence := CAST(" + deleted + " AS " + type +
           "), upsertSequence := CAST(" + upserted + " AS " + type + "))";
  }

  const AutoCdcPlan& plan_;
};

}  // namespace

Result<BatchCounts> ApplyScd1(engine::Session& session, TableStore& store, const AutoCdcPlan& plan,
                              const BatchId& batch) {
  const Scd1Sql sql(plan);
  if (sql.truncates()) WEIR_RETURN_IF_ERROR(session.Execute(sql.FindTruncation()));
  WEIR_RETURN_IF_ERROR(session.Execute(sql.Decide()));
  if (sql.truncates()) WEIR_RETURN_IF_ERROR(session.Execute(sql.DecideTruncation()));
  return CommitBatch(session, store, plan, batch,
                     {sql.Count(), sql.MergeAuxiliary(), sql.MergeTarget(), sql.InsertAuxiliary(),
                      sql.InsertTarget()});
}

}  // namespace weir::pipeline
