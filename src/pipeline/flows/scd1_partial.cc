// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "pipeline/flows/batch.h"
#include "pipeline/flows/commit_batch.h"
#include "pipeline/flows/sql_text.h"

namespace weir::pipeline {
namespace {

/// The SQL of a flow of partial updates. The row that the target holds counts as one more event,
/// which wrote each column when its metadata says so:
/// __weir_batch -> __weir_state (what both tables hold of the batch's keys) -> __weir_last_delete
/// -> __weir_rows (the rows that the events since then make) -> __weir_decided.
class PartialSql {
 public:
  explicit PartialSql(const AutoCdcPlan& plan) : plan_(plan) {
    for (const Column& column : plan.columns) {
      if (std::ranges::find(plan.keys, column.name) == plan.keys.end()) others_.push_back(column);
    }
  }

  std::string ReadState() const {
    return "CREATE OR REPLACE TEMP TABLE __weir_state AS SELECT " + Names(plan_.keys, "k") + ", " +
           Names(others_, "t") +
           ", t.__weir_found, t.__weir_m.upsertSequence AS __weir_sequence, "
           "t.__weir_m.columnSequences AS __weir_written, " +
           "a.__weir_found AS __weir_buried, a.__weir_sequence AS __weir_tombstone FROM (SELECT "
           "DISTINCT " +
           Names(plan_.keys) + " FROM __weir_batch) k LEFT JOIN (SELECT " + Names(plan_.columns) +
           ", " + QuoteIdentifier(kMetadataColumn) + " AS __weir_m, true AS __weir_found FROM " +
           plan_.target.ToSql() + ") t ON " + SameKey(plan_.keys, "k", "t") +
           " LEFT JOIN (SELECT " + Names(plan_.keys) + ", struct_extract(" +
           QuoteIdentifier(kMetadataColumn) +
           ", 'deleteSequence') AS __weir_sequence, true AS __weir_found FROM " +
           plan_.auxiliary.ToSql() + ") a ON " + SameKey(plan_.keys, "k", "a");
  }

  std::string FindLastDelete() const {
    return "CREATE OR REPLACE TEMP TABLE __weir_last_delete AS SELECT " + Names(plan_.keys) +
           ", true AS __weir_found, arg_max(__weir_sequence, row(" + Order("__weir_sequence") +
           ")) AS __weir_sequence FROM (SELECT " + Names(plan_.keys) +
           ", __weir_sequence AS __weir_sequence FROM __weir_batch WHERE __weir_delete UNION ALL "
           "SELECT " +
           Names(plan_.keys) +
           ", __weir_tombstone FROM __weir_state WHERE __weir_buried) GROUP BY " +
           Names(plan_.keys);
  }

  std::string MakeRows() const {
    const std::string after_delete = "(d.__weir_found IS NULL OR " + Order("e.__weir_sequence") +
                                     " >= " + Order("d.__weir_sequence") + ")";
    std::string values;
    for (size_t i = 0; i < others_.size(); ++i) {
      values += ", arg_max(struct_pack(v := " + In("e", others_[i].name) + ", s := e." + At(i) +
                "), row(" + Order("e." + At(i)) + ", e.__weir_arrival)) FILTER (WHERE e." +
                Writes(i) + " AND (d.__weir_found IS NULL OR " + Order("e." + At(i)) +
                " >= " + Order("d.__weir_sequence") + ")) AS __weir_c" + std::to_string(i);
    }
    return "CREATE OR REPLACE TEMP TABLE __weir_rows AS SELECT " + Names(plan_.keys, "e") +
           ", true AS __weir_found, arg_max(e.__weir_sequence, row(" + Order("e.__weir_sequence") +
           ", e.__weir_arrival)) AS __weir_sequence" + values + " FROM (" + Events() +
           ") e LEFT JOIN __weir_last_delete d ON " + SameKey(plan_.keys, "e", "d") + " WHERE " +
           after_delete + " GROUP BY " + Names(plan_.keys, "e");
  }

  std::string Decide() const {
    const std::string values = List([](size_t i, const std::string& name) {
      return "r.__weir_c" + std::to_string(i) + ".v AS " + QuoteIdentifier(name);
    });
    const std::string unchanged =
        "row(" +
        List([](size_t i, const std::string&) { return "r.__weir_c" + std::to_string(i) + ".v"; }) +
        ") IS NOT DISTINCT FROM row(" + Names(others_, "s") +
        ") AND r.__weir_sequence IS NOT DISTINCT FROM s.__weir_sequence AND " + Written() +
        " IS NOT DISTINCT FROM s.__weir_written";
    return "CREATE OR REPLACE TEMP TABLE __weir_decided AS SELECT " + Names(plan_.keys, "s") +
           ", " + values + ", r.__weir_sequence AS __weir_sequence, " + Written() +
           " AS __weir_written, d.__weir_sequence AS __weir_deleted, "
           "CASE WHEN d.__weir_found IS NULL THEN 'none' WHEN s.__weir_buried IS NULL THEN "
           "'insert' WHEN " +
           Order("d.__weir_sequence") + " > " + Order("s.__weir_tombstone") +
           " THEN 'update' ELSE 'none' END AS __weir_auxiliary, CASE WHEN r.__weir_found AND "
           "s.__weir_found IS NULL THEN 'insert' WHEN r.__weir_found AND " +
           unchanged +
           " THEN 'late' WHEN r.__weir_found THEN 'update' WHEN s.__weir_found THEN 'delete' WHEN "
           "d.__weir_found AND "
           "s.__weir_buried THEN 'late' "
           "ELSE 'none' END AS __weir_target FROM __weir_state s LEFT JOIN __weir_rows r ON " +
           SameKey(plan_.keys, "s", "r") + " LEFT JOIN __weir_last_delete d ON " +
           SameKey(plan_.keys, "s", "d");
  }

  std::string Count() const {
    return "SELECT count(*) FILTER (WHERE __weir_auxiliary <> 'none'), count(*) FILTER (WHERE "
           "__weir_target IN "
           "('insert', 'update')), count(*) FILTER (WHERE __weir_target = 'delete'), count(*) "
           "FILTER (WHERE "
           "__weir_target = 'late') FROM __weir_decided";
  }

  std::string MergeAuxiliary() const {
    const std::string type = plan_.sequence_type.ToString();
    const std::string metadata = "struct_pack(deleteSequence := CAST(s.__weir_deleted AS " + type +
                                 "), upsertSequence := CAST(NULL AS " + type + "))";
    return "MERGE INTO " + plan_.auxiliary.ToSql() +
           " AS t USING (SELECT * FROM __weir_decided WHERE __weir_auxiliary <> 'none') AS s ON " +
           SameKey(plan_.keys, "t", "s") + " WHEN MATCHED THEN UPDATE SET " +
           QuoteIdentifier(kMetadataColumn) + " = " + metadata + " WHEN NOT MATCHED THEN INSERT (" +
           Names(plan_.keys) + ", " + QuoteIdentifier(kMetadataColumn) + ") VALUES (" +
           Names(plan_.keys, "s") + ", " + metadata + ")";
  }

  std::string MergeTarget() const {
    const std::string type = plan_.sequence_type.ToString();
    const std::string metadata =
        "struct_pack(deleteSequence := CAST(NULL AS " + type +
        "), upsertSequence := s.__weir_sequence, columnSequences := s.__weir_written)";
    const std::string assignments = Join(others_, "", [](const Column& column) {
      return QuoteIdentifier(column.name) + " = " + In("s", column.name) + ", ";
    });
    return "MERGE INTO " + plan_.target.ToSql() +
           " AS t USING (SELECT * FROM __weir_decided WHERE __weir_target NOT IN ('none', 'late')) "
           "AS s ON " +
           SameKey(plan_.keys, "t", "s") +
           " WHEN MATCHED AND s.__weir_target = 'delete' THEN DELETE WHEN MATCHED THEN "
           "UPDATE SET " +
           assignments + QuoteIdentifier(kMetadataColumn) + " = " + metadata +
           " WHEN NOT MATCHED THEN INSERT (" + Names(plan_.columns) + ", " +
           QuoteIdentifier(kMetadataColumn) + ") VALUES (" + Names(plan_.columns, "s") + ", " +
           metadata + ")";
  }

 private:
  std::string Order(const std::string& expression) const {
    return OrderKey(expression, plan_.sequence_type);
  }

  static std::string At(size_t i) { return "__weir_at_" + std::to_string(i); }
  static std::string Writes(size_t i) { return "__weir_written_" + std::to_string(i); }

  template <typename Make>
  std::string List(Make make) const {
    std::string text;
    for (size_t i = 0; i < others_.size(); ++i)
      text += (i == 0 ? "" : ", ") + make(i, others_[i].name);
    return text;
  }

  /// Which of plan_.written_when is about the column; nullopt when every event writes it.
  std::optional<size_t> Condition(const std::string& name) const {
    for (size_t i = 0; i < plan_.written_when.size(); ++i) {
      if (plan_.written_when[i].first == name) return i;
    }
    return std::nullopt;
  }

  /// Upserts of the batch and the target's rows, each with the sequence and the fact of writing for
  /// each column.
  std::string Events() const {
    const std::string of_batch = List([&](size_t i, const std::string& name) {
      const std::optional<size_t> condition = Condition(name);
      return "__weir_sequence AS " + At(i) + ", " +
             (condition ? "__weir_writes_" + std::to_string(*condition) : "true") + " AS " +
             Writes(i);
    });
    const std::string of_target = List([&](size_t, const std::string& name) {
      if (!Condition(name)) return std::string("__weir_sequence, true");
      const std::string at = "map_extract_value(__weir_written, " + QuoteLiteral(name) + ")";
      return at + ", coalesce(map_contains(__weir_written, " + QuoteLiteral(name) + "), false)";
    });
    return "SELECT " + Names(plan_.keys) + ", " + Names(others_) +
           ", __weir_sequence, rowid AS __weir_arrival, " + of_batch +
           " FROM __weir_batch WHERE NOT __weir_delete UNION ALL SELECT " + Names(plan_.keys) +
           ", " + Names(others_) + ", __weir_sequence, -1, " + of_target +
           " FROM __weir_state WHERE __weir_found";
  }

  /// The metadata's map: for each column that an event may leave out, the sequence of the one that
  /// wrote it.
  std::string Written() const {
    const std::string entries = Join(plan_.written_when, ", ", [&](const auto& column) {
      const auto at = std::ranges::find(others_, column.first, &Column::name) - others_.begin();
      const std::string value = "r.__weir_c" + std::to_string(at);
      return "CASE WHEN " + value +
             " IS NOT NULL THEN struct_pack(key := " + QuoteLiteral(column.first) +
             ", value := " + value + ".s) END";
    });
    return "map_from_entries(list_filter([" + entries + "], lambda e: e IS NOT NULL))";
  }

  const AutoCdcPlan& plan_;
  std::vector<Column> others_;
};

}  // namespace

Result<BatchCounts> ApplyPartialScd1(engine::Session& session, TableStore& store,
                                     const AutoCdcPlan& plan, const BatchId& batch) {
  const PartialSql sql(plan);
  for (const std::string& step :
       {sql.ReadState(), sql.FindLastDelete(), sql.MakeRows(), sql.Decide()}) {
    WEIR_RETURN_IF_ERROR(session.Execute(step));
  }
  return CommitBatch(session, store, plan, batch,
                     {sql.Count(), sql.MergeAuxiliary(), sql.MergeTarget()});
}

}  // namespace weir::pipeline
