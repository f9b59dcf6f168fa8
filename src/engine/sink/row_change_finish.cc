// SPDX-License-Identifier: Apache-2.0
//
// The end of a statement: its files and vectors as actions, with the metrics that Spark reports.
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "delta/actions/removal.h"
#include "delta/deletion_vectors/deletion_vector.h"
#include "delta/statistics/file_statistics.h"
#include "engine/catalog/transaction.h"
#include "engine/duckdb_errors.h"
#include "engine/sink/row_change_state.h"
#include "engine/write/file_actions.h"
#include "storage/object_store.h"

namespace weir::engine {
namespace {

using Kind = RowChangeSpec::Kind;
using Metrics = std::map<std::string, int64_t>;

int64_t TotalSize(const std::vector<WrittenFile>& files) {
  int64_t total = 0;
  for (const auto& file : files) total += file.size;
  return total;
}

std::string OperationName(Kind kind) {
  switch (kind) {
    case Kind::kInsert:
      return "WRITE";
    case Kind::kCreateTableAs:
      return "CREATE TABLE AS SELECT";
    case Kind::kDelete:
      return "DELETE";
    case Kind::kUpdate:
      return "UPDATE";
    case Kind::kMerge:
      return "MERGE";
  }
  return "WRITE";
}

// Spark's names for the actions of a MERGE's clauses.
JsonValue ClauseParameters(const std::vector<RowClause>& clauses) {
  std::vector<JsonValue> items;
  for (const auto& clause : clauses) {
    const char* type = clause.action == RowAction::kInsert   ? "insert"
                       : clause.action == RowAction::kUpdate ? "update"
                       : clause.action == RowAction::kDelete ? "delete"
                                                             : nullptr;
    if (!type) continue;
    JsonValue item = JsonValue::Object();
    if (clause.condition) item.Set("predicate", JsonValue::String(clause.condition->ToString()));
    item.Set("actionType", JsonValue::String(type));
    items.push_back(std::move(item));
  }
  return JsonValue::String(JsonValue::Array(std::move(items)).ToString());
}

JsonValue Parameters(const RowChangeSpec& spec, const WriteTarget& target) {
  JsonValue result = JsonValue::Object();
  switch (spec.kind) {
    case Kind::kCreateTableAs:  // CREATE TABLE has said what there is to say.
      break;
    case Kind::kInsert: {
      const bool overwrites = spec.deletes_all || spec.replaces_partitions || spec.has_target();
      result.Set("mode", JsonValue::String(overwrites ? "Overwrite" : "Append"));
      if (!spec.replace_condition.empty()) {
        result.Set("predicate", JsonValue::String(spec.replace_condition));
      }
      if (spec.replaces_partitions) {
        result.Set("isDynamicPartitionOverwrite", JsonValue::String("true"));
      }
      if (target.evolves) result.Set("canMergeSchema", JsonValue::String("true"));
      result.Set("partitionBy", JsonValue::String("[]"));
      break;
    }
    case Kind::kDelete:
    case Kind::kUpdate: {
      const std::string predicate =
          spec.predicate.empty() && spec.kind == Kind::kDelete ? "true" : spec.predicate;
      result.Set("predicate",
                 JsonValue::String(
                     JsonValue::Array(predicate.empty()
                                          ? std::vector<JsonValue>{}
                                          : std::vector<JsonValue>{JsonValue::String(predicate)})
                         .ToString()));
      break;
    }
    case Kind::kMerge:
      result.Set(
          "predicate",
          JsonValue::String(JsonValue::Array({JsonValue::String(spec.predicate)}).ToString()));
      result.Set("matchedPredicates",
                 ClauseParameters(spec.clauses[static_cast<size_t>(RowClass::kMatched)]));
      result.Set(
          "notMatchedPredicates",
          ClauseParameters(spec.clauses[static_cast<size_t>(RowClass::kNotMatchedByTarget)]));
      result.Set(
          "notMatchedBySourcePredicates",
          ClauseParameters(spec.clauses[static_cast<size_t>(RowClass::kNotMatchedBySource)]));
      break;
  }
  return result;
}

}  // namespace

Metrics RowChangeState::Metrics(const std::vector<WrittenFile>& data,
                                const std::vector<WrittenFile>& changes) const {
  int64_t removed_files = 0;
  int64_t removed_bytes = 0;
  int64_t vectors_added = 0;
  int64_t vectors_updated = 0;
  int64_t vectors_removed = 0;
  for (const auto& [number, fate] : fates_) {
    if (!fate.is_emptied && !fate.is_rewritten) {
      (fate.file.deletion_vector ? vectors_updated : vectors_added)++;
      continue;
    }
    vectors_removed += fate.file.deletion_vector ? 1 : 0;
    removed_files++;
    removed_bytes += fate.file.size;
  }
  const int64_t deleted = DeletedRows();
  const auto added_files = static_cast<int64_t>(data.size());
  const auto change_files = static_cast<int64_t>(changes.size());
  const int64_t added_bytes = TotalSize(data);
  int64_t written = 0;
  for (const auto& file : data) written += file.rows;
  const int64_t copied = copied_rows_.load();

  switch (spec_.kind) {
    case Kind::kInsert:
    case Kind::kCreateTableAs: {
      std::map<std::string, int64_t> result = {{"numFiles", added_files},
                                               {"numOutputRows", counts_.inserted},
                                               {"numOutputBytes", added_bytes}};
      if (spec_.deletes_all || spec_.replaces_partitions || spec_.has_target()) {
        result["numRemovedFiles"] = removed_files;
        result["numRemovedBytes"] = removed_bytes;
      }
      if (!spec_.replace_condition.empty()) {
        result["numDeletedRows"] = deleted;
        result["numCopiedRows"] = copied;
        result["numAddedChangeFiles"] = change_files;
      }
      return result;
    }
    case Kind::kDelete:
    case Kind::kUpdate: {
      std::map<std::string, int64_t> result = {
          {"numRemovedFiles", removed_files},
          {"numAddedFiles", added_files},
          {"numRemovedBytes", removed_bytes},
          {"numAddedBytes", added_bytes},
          {"numCopiedRows", copied},
          {"numAddedChangeFiles", change_files},
          {"numDeletionVectorsAdded", vectors_added + vectors_updated},
          {"numDeletionVectorsUpdated", vectors_updated},
          {"numDeletionVectorsRemoved", vectors_removed + vectors_updated}};
      if (spec_.kind == Kind::kDelete) {
        result["numDeletedRows"] = deleted;
      } else {
        result["numUpdatedRows"] = counts_.total_updated();
      }
      AddTimes(result);
      return result;
    }
    case Kind::kMerge:
      break;
  }
  const auto matched = static_cast<size_t>(RowClass::kMatched);
  const auto by_source = static_cast<size_t>(RowClass::kNotMatchedBySource);
  std::map<std::string, int64_t> result = {
      {"numSourceRows", spec_.source_rows ? spec_.source_rows->load() : 0},
      {"numTargetRowsInserted", counts_.inserted},
      {"numTargetRowsUpdated", counts_.total_updated()},
      {"numTargetRowsDeleted", deleted},
      {"numTargetRowsMatchedUpdated", counts_.updated[matched]},
      {"numTargetRowsMatchedDeleted", deleted - counts_.deleted[by_source]},
      {"numTargetRowsNotMatchedBySourceUpdated", counts_.updated[by_source]},
      {"numTargetRowsNotMatchedBySourceDeleted", counts_.deleted[by_source]},
      {"numTargetRowsCopied", copied},
      {"numOutputRows", written},
      {"numTargetFilesAdded", added_files},
      {"numTargetFilesRemoved", removed_files},
      {"numTargetBytesAdded", added_bytes},
      {"numTargetBytesRemoved", removed_bytes},
      {"numTargetChangeFilesAdded", change_files},
      {"numTargetDeletionVectorsAdded", vectors_added + vectors_updated},
      {"numTargetDeletionVectorsUpdated", vectors_updated},
      {"numTargetDeletionVectorsRemoved", vectors_removed + vectors_updated},
      {"materializeSourceTimeMs", 0}};
  AddTimes(result);
  return result;
}

// Of finding the rows, which writes new ones on the way, and of rewriting the files that they were
// in.
void RowChangeState::AddTimes(std::map<std::string, int64_t>& metrics) const {
  auto millis = [](Clock::duration time) {
    return static_cast<int64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
  };
  metrics["scanTimeMs"] = millis(scanned_ - began_);
  metrics["rewriteTimeMs"] = millis(Clock::now() - scanned_);
  metrics["executionTimeMs"] = metrics["scanTimeMs"] + metrics["rewriteTimeMs"];
}

int64_t RowChangeState::DeletedRows() const {
  int64_t deleted = rows_of_deleted_files_;
  for (const auto& [number, fate] : fates_) {
    deleted += static_cast<int64_t>(fate.changes->deleted.cardinality());
  }
  return deleted;
}

// Only inserts after all: the adds tell the change, and what was written for the change feed goes.
void RowChangeState::DropChangeFiles(std::vector<WrittenFile>& changes) const {
  const auto& log = table_.state()->log();
  for (const auto& file : changes) {
    OrThrow(log.store->Delete(storage::JoinPath(log.root, OrThrow(PercentDecode(file.path)))));
  }
  changes.clear();
}

// Files that keep some of their rows get a vector, all of them in one file.
void RowChangeState::AddVectors(delta::Transaction& writer) {
  const auto& log = table_.state()->log();
  delta::DeletionVectorWriter vectors(*log.store, log.root);
  bool is_announced = false;
  for (const auto& [number, fate] : fates_) {
    if (fate.is_emptied || fate.is_rewritten) continue;
    if (!std::exchange(is_announced, true)) Announce(vectors.path());
    delta::RowBitmap rows = fate.changes->deleted;
    rows.Union(fate.changes->updated);
    if (fate.file.deletion_vector) {
      rows.Union(
          OrThrow(delta::ReadDeletionVector(*log.store, log.root, *fate.file.deletion_vector)));
    }
    delta::AddFile add = fate.file;
    add.data_change = true;
    add.deletion_vector = OrThrow(vectors.Add(rows));
    add.stats = OrThrow(delta::WidenBounds(fate.file.stats.value_or("")));
    writer.Add(std::move(add));
  }
  OrThrow(vectors.Finish());
}

bool RowChangeState::MoveIdentityMarks(delta::Transaction& writer) const {
  const auto& state = *table_.state();
  const auto schema = identity_.MovedMarks(state.schema());
  if (schema == state.schema()) return false;
  delta::Metadata metadata = state.metadata();
  metadata.schema_string = schema->ToJson();
  writer.Add(std::move(metadata));
  return true;
}

void RowChangeState::Finish() {
  auto data = data_.Finish();
  std::vector<WrittenFile> changes;
  if (changes_) changes = changes_->Finish();
  if (fates_.empty() && !WeirTransaction::IsMultiStatement(context_)) DropChangeFiles(changes);
  changed_rows_ = counts_.inserted + counts_.total_updated();
  if (spec_.kind != Kind::kInsert) changed_rows_ += DeletedRows();
  const auto& evolution = table_.evolution();
  if (data.empty() && fates_.empty() && !evolution) return;

  const auto& log = table_.state()->log();
  auto& writer = transaction_.WriterFor(table_);
  const int64_t now = log.clock->NowMillis();
  transaction_.RecordStatement(log.root, OperationName(spec_.kind),
                               Parameters(spec_, table_.write_target()), Metrics(data, changes));
  if (evolution) {
    if (evolution->protocol) writer.Add(*evolution->protocol);
    writer.Add(evolution->metadata);
  }
  if (spec_.deletes_all) writer.reads().whole_table = true;
  if (spec_.replaces_partitions) {
    // A file that others add to one of them would have been replaced too.
    writer.reads().predicates.push_back(
        [layout = layout_, partitions = data_.Partitions()](const delta::AddFile& file) {
          return partitions.contains(layout->PartitionOf(file));
        });
  }
  for (const auto& [number, fate] : fates_) {
    writer.reads().files.insert(fate.file.path);
    writer.Add(delta::RemovalOf(fate.file, now));
  }
  if (layout_->deletion_vectors_enabled) AddVectors(writer);
  for (auto& file : data) writer.Add(MakeAdd(std::move(file), now));
  for (auto& file : changes) writer.Add(MakeCdc(std::move(file)));
  JsonValue tags = JsonValue::Object();
  if (MoveIdentityMarks(writer)) tags.Set("delta.identity.schemaUpdate", JsonValue::String("true"));
  if (layout_->tracks_rows()) tags.Set("delta.rowTracking.preserved", JsonValue::String("true"));
  if (!tags.members().empty()) writer.SetCommitInfo("tags", std::move(tags));
  transaction_.Publish(log.root);
}

}  // namespace weir::engine
