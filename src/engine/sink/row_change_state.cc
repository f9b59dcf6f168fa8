// SPDX-License-Identifier: Apache-2.0
#include "engine/sink/row_change_state.h"

#include <utility>

#include "duckdb/main/client_context.hpp"

#include "delta/statistics/file_statistics.h"
#include "engine/catalog/transaction.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

constexpr const char* kChangeTypeColumn = "_change_type";

void SetNull(duckdb::Vector& vector) {
  vector.SetVectorType(duckdb::VectorType::CONSTANT_VECTOR);
  duckdb::ConstantVector::SetNull(vector, true);
}

duckdb::vector<duckdb::LogicalType> ColumnTypes(const TableLayout& layout) {
  duckdb::vector<duckdb::LogicalType> types;
  for (const auto& column : layout.columns) types.push_back(column.type);
  return types;
}

// Parts `count` rows of one file, given by their ascending numbers, into those of `set` and the
// others; returns how many are inside.
size_t SelectRows(duckdb::Vector& numbers, size_t count, const delta::RowBitmap& set,
                  duckdb::SelectionVector& inside, duckdb::SelectionVector& outside) {
  duckdb::UnifiedVectorFormat format;
  numbers.ToUnifiedFormat(count, format);
  const auto* items = duckdb::UnifiedVectorFormat::GetData<int64_t>(format);
  const auto row = [&](size_t i) { return static_cast<uint64_t>(items[format.sel->get_index(i)]); };
  std::vector<uint64_t> members;
  set.ForEach(row(0), row(count - 1) + 1, [&](uint64_t member) { members.push_back(member); });
  size_t hits = 0;
  size_t misses = 0;
  size_t next = 0;
  for (size_t i = 0; i < count; i++) {
    while (next < members.size() && members[next] < row(i)) next++;
    if (next < members.size() && members[next] == row(i)) {
      inside.set_index(hits++, i);
    } else {
      outside.set_index(misses++, i);
    }
  }
  return hits;
}

}  // namespace

void RowCounts::Add(const RowCounts& other) {
  inserted += other.inserted;
  for (size_t i = 0; i < kRowClasses; i++) {
    updated[i] += other.updated[i];
    deleted[i] += other.deleted[i];
  }
}

int64_t RowCounts::total_updated() const {
  int64_t total = 0;
  for (int64_t count : updated) total += count;
  return total;
}

RowChangeState::RowChangeState(duckdb::ClientContext& context, const RowChangeSpec& spec,
                               WeirTableEntry& table,
                               const duckdb::vector<duckdb::LogicalType>& input_types,
                               const duckdb::vector<duckdb::LogicalType>& output_types)
    : context_(context),
      spec_(spec),
      table_(table),
      transaction_(WeirTransaction::Get(context, table.ParentCatalog())),
      layout_(TableLayout::Of(*table.state())),
      files_(table.state()),
      constraints_(context, layout_, table, spec.replace_condition),
      identity_(*table.state(), table.name),
      input_types_(input_types),
      output_types_(output_types),
      data_(context, layout_, table.state()->log().root, FileKind::kData, TrackingColumns(*layout_),
            [this](const std::string& path) { Announce(path); }),
      pending_(context, spec, ColumnTypes(*layout_)) {
  // Refuses what cannot be written before anything is.
  transaction_.WriterFor(table_);
  if (layout_->append_only &&
      (spec_.may_change_rows() || spec_.deletes_all || spec_.replaces_partitions)) {
    Throw(ConstraintViolated("DELTA_CANNOT_MODIFY_APPEND_ONLY",
                             "table " + table.name +
                                 " is append-only (delta.appendOnly=true); set the property to "
                                 "false to update or delete rows",
                             "42809"));
  }
  if (layout_->change_feed_enabled &&
      (spec_.may_change_rows() || WeirTransaction::IsMultiStatement(context))) {
    changes_ = std::make_unique<DataWriter>(
        context, layout_, table.state()->log().root, FileKind::kChange,
        std::vector<FileColumn>{{kChangeTypeColumn, duckdb::LogicalType::VARCHAR, nullptr}},
        [this](const std::string& path) { Announce(path); });
  }
  if (spec_.returning) {
    returned_ = std::make_unique<duckdb::ColumnDataCollection>(context, output_types_);
  }
}

RowChangeState::~RowChangeState() = default;

void RowChangeState::Announce(const std::string& path) {
  transaction_.AnnounceFile(table_.state()->log().root, path);
}

std::unique_ptr<RowChangeState::Local> RowChangeState::NewLocal(duckdb::ExecutionContext& context) {
  auto local = std::make_unique<Local>();
  local->evaluator = std::make_unique<ClauseEvaluator>(context.client, spec_, input_types_);
  local->constraints = constraints_.NewLocal();
  if (returned_) {
    local->returned = std::make_unique<duckdb::ColumnDataCollection>(context_, output_types_);
    local->returned->InitializeAppend(local->returned_state);
  }
  return local;
}

void RowChangeState::Sink(Local& local, duckdb::DataChunk& input) {
  local.evaluator->Evaluate(input, [&](RowClass row_class, const RowClause& clause,
                                       duckdb::DataChunk& rows, duckdb::DataChunk& image) {
    switch (clause.action) {
      case RowAction::kInsert:
        TakeInsert(local, clause, image);
        break;
      case RowAction::kUpdate:
        TakeUpdate(local, row_class, clause, rows, image);
        break;
      case RowAction::kDelete:
        TakeDelete(local, row_class, rows);
        break;
      case RowAction::kError:
        Throw(InvalidArgument(
            "WEIR_MERGE_ERROR_CLAUSE",
            clause.description +
                (clause.image.empty() ? "" : ": " + image.GetValue(0, 0).ToString())));
      case RowAction::kNothing:
        break;
    }
  });
}

void RowChangeState::TakeInsert(Local& local, const RowClause& clause, duckdb::DataChunk& image) {
  local.counts.inserted += static_cast<int64_t>(image.size());
  WriteNewRows(local, clause, image, nullptr, "insert", "INSERT");
}

void RowChangeState::TakeUpdate(Local& local, RowClass row_class, const RowClause& clause,
                                duckdb::DataChunk& input, duckdb::DataChunk& image) {
  const size_t start = *spec_.position_start;
  local.counts.updated[static_cast<size_t>(row_class)] += static_cast<int64_t>(input.size());
  local.touched.Add(input.data[start], input.data[start + 1], input.size(), false, false);
  if (!clause.kept.empty()) {
    if (!local.pending) local.pending = pending_.NewLocal();
    pending_.Add(*local.pending, clause, input.data[start], input.data[start + 1], image);
    return;
  }
  duckdb::Vector* row_ids = layout_->tracks_rows() ? &input.data[start + 2] : nullptr;
  WriteNewRows(local, clause, image, row_ids, "update_postimage", "UPDATE");
}

void RowChangeState::TakeDelete(Local& local, RowClass row_class, duckdb::DataChunk& input) {
  const size_t start = *spec_.position_start;
  local.counts.deleted[static_cast<size_t>(row_class)] += static_cast<int64_t>(input.size());
  local.touched.Add(input.data[start], input.data[start + 1], input.size(), true,
                    spec_.may_delete_twice());
}

void RowChangeState::WriteNewRows(Local& local, const RowClause& clause, duckdb::DataChunk& image,
                                  duckdb::Vector* row_ids, const char* change,
                                  const char* merge_action) {
  duckdb::DataChunk rows;
  rows.InitializeEmpty(data_.row_types());
  for (size_t i = 0; i < layout_->columns.size(); i++) rows.data[i].Reference(image.data[i]);
  duckdb::Vector no_id(duckdb::LogicalType::BIGINT);
  if (layout_->tracks_rows()) {
    // An updated row keeps its id; its commit version is the new one, which is the file's default.
    SetNull(no_id);
    rows.data[layout_->columns.size()].Reference(row_ids ? *row_ids : no_id);
    rows.data[layout_->columns.size() + 1].Reference(no_id);
  }
  rows.SetCardinality(image.size());
  for (size_t column : clause.computed) identity_.Fill(column, rows);
  constraints_.Compute(local.constraints, clause.computed, rows);
  constraints_.Check(local.constraints, rows);
  data_.Append(local.data, rows);
  if (changes_) WriteChange(local, rows, change);
  if (returned_) Return(local, rows, merge_action);
}

void RowChangeState::WriteChange(Local& local, duckdb::DataChunk& rows, const char* change) {
  duckdb::DataChunk out;
  out.InitializeEmpty(changes_->row_types());
  for (size_t i = 0; i < layout_->columns.size(); i++) out.data[i].Reference(rows.data[i]);
  out.data.back().Reference(duckdb::Value(change));
  out.SetCardinality(rows.size());
  changes_->Append(local.changes, out);
}

void RowChangeState::Return(Local& local, duckdb::DataChunk& rows, const char* merge_action) {
  duckdb::DataChunk out;
  out.InitializeEmpty(output_types_);
  for (size_t i = 0; i < layout_->columns.size(); i++) out.data[i].Reference(rows.data[i]);
  if (spec_.kind == RowChangeSpec::Kind::kMerge)
    out.data.back().Reference(duckdb::Value(merge_action));
  out.SetCardinality(rows.size());
  local.returned->Append(local.returned_state, out);
}

void RowChangeState::Combine(Local& local) {
  data_.Combine(local.data);
  if (changes_) changes_->Combine(local.changes);
  touched_.Combine(local.touched, spec_.may_delete_twice());
  if (local.pending) pending_.Combine(*local.pending);
  std::lock_guard lock(mutex_);
  counts_.Add(local.counts);
  if (returned_) returned_->Combine(*local.returned);
}

void RowChangeState::DecideFates() {
  if (spec_.deletes_all) return DeleteAll();
  if (spec_.replaces_partitions) return DeletePartitions();
  for (const auto& [number, changes] : touched_.files()) {
    FileFate fate;
    fate.changes = &changes;
    fate.file = OrThrow(files_.GetWithStats(files_.PlaceOf(static_cast<uint32_t>(number))));
    const auto records = fate.file.stats ? delta::ReadNumRecords(*fate.file.stats) : std::nullopt;
    const int64_t gone = fate.file.deletion_vector ? fate.file.deletion_vector->cardinality : 0;
    fate.is_emptied = records && *records - gone == static_cast<int64_t>(changes.count());
    // Without the number of rows a file cannot have a vector.
    fate.is_rewritten = !fate.is_emptied && !(layout_->deletion_vectors_enabled && records);
    fates_.emplace(number, std::move(fate));
  }
}

void RowChangeState::DeleteAll() {
  static const FileChanges kNoRows;
  for (size_t i = 0; i < files_.size(); i++) {
    FileFate fate;
    fate.changes = &kNoRows;
    fate.file = OrThrow(files_.GetWithStats(i));
    fate.is_emptied = true;
    const int64_t gone = fate.file.deletion_vector ? fate.file.deletion_vector->cardinality : 0;
    rows_of_deleted_files_ +=
        delta::ReadNumRecords(fate.file.stats.value_or("")).value_or(0) - gone;
    fates_.emplace(files_.number(i), std::move(fate));
  }
}

void RowChangeState::DeletePartitions() {
  static const FileChanges kNoRows;
  const auto written = data_.Partitions();
  for (size_t i = 0; i < files_.size(); i++) {
    FileFate fate;
    fate.file = OrThrow(files_.GetWithStats(i));
    if (!written.contains(layout_->PartitionOf(fate.file))) continue;
    fate.is_emptied = true;
    fate.changes = &kNoRows;
    if (changes_) {
      auto& changes = replaced_[files_.number(i)];
      const auto records = delta::ReadNumRecords(fate.file.stats.value_or(""));
      changes.deleted.AddRange(0, static_cast<uint64_t>(records.value_or(0)));
      fate.changes = &changes;
    }
    fates_.emplace(files_.number(i), std::move(fate));
  }
}

// The change feed reads a DELETE from the removes alone when only whole files go; any other change
// needs images of all rows.
bool RowChangeState::NeedsOldImages() const {
  if (ReturnsDeletedRows()) {
    for (const auto& [number, fate] : fates_) {
      if (!fate.changes->deleted.empty()) return true;
    }
  }
  if (!changes_) return false;
  if (spec_.kind != RowChangeSpec::Kind::kDelete) return true;
  if (WeirTransaction::IsMultiStatement(context_)) return true;
  for (const auto& [number, fate] : fates_) {
    if (!fate.is_emptied) return true;
  }
  return false;
}

SecondPassPlan RowChangeState::PlanSecondPass() {
  scanned_ = Clock::now();
  DecideFates();
  reads_old_images_ = NeedsOldImages();
  SecondPassPlan plan;
  bool rewrites = false;
  for (const auto& [number, fate] : fates_) {
    SecondPassPlan::File file{number, nullptr};
    if (fate.is_rewritten) {
      rewrites = true;
    } else {
      delta::RowBitmap rows;
      if (reads_old_images_ || !pending_.empty()) rows.Union(fate.changes->updated);
      if (reads_old_images_) rows.Union(fate.changes->deleted);
      if (rows.empty()) continue;
      file.rows = std::make_shared<const delta::RowBitmap>(std::move(rows));
    }
    plan.files.push_back(std::move(file));
  }
  if (!rewrites && !reads_old_images_) plan.unwanted = pending_.UnkeptColumns();
  return plan;
}

void RowChangeState::SinkOldRows(Local& local, duckdb::DataChunk& rows) {
  const size_t columns = layout_->columns.size();
  const size_t count = rows.size();
  // A chunk comes from one file.
  const auto number = rows.GetValue(columns, 0).GetValue<uint64_t>();
  const auto& fate = fates_.at(number);
  const auto slice = [&](duckdb::DataChunk& from, const duckdb::SelectionVector& selection,
                         size_t size) {
    auto result = std::make_unique<duckdb::DataChunk>();
    result->InitializeEmpty(from.GetTypes());
    result->Slice(from, selection, size);
    return result;
  };

  duckdb::SelectionVector updated(count), rest(count), deleted(count), kept(count);
  const size_t updates =
      SelectRows(rows.data[columns + 1], count, fate.changes->updated, updated, rest);
  if (updates > 0) {
    auto old_rows = slice(rows, updated, updates);
    if (reads_old_images_ && changes_) WriteChange(local, *old_rows, "update_preimage");
    CompleteUpdates(local, number, *old_rows);
  }
  if (updates == count) return;
  auto others = slice(rows, rest, count - updates);
  const size_t deletes =
      SelectRows(others->data[columns + 1], others->size(), fate.changes->deleted, deleted, kept);
  if (deletes > 0 && reads_old_images_) {
    auto gone = slice(*others, deleted, deletes);
    if (changes_) WriteChange(local, *gone, "delete");
    if (ReturnsDeletedRows()) Return(local, *gone, "DELETE");
  }
  if (deletes == others->size() || !fate.is_rewritten) return;
  CopyRows(local, *slice(*others, kept, others->size() - deletes));
}

void RowChangeState::CompleteUpdates(Local& local, uint64_t file, duckdb::DataChunk& old_rows) {
  const size_t columns = layout_->columns.size();
  pending_.Complete(local.cursor, file, old_rows.data[columns + 1], old_rows,
                    [&](const RowClause& clause, duckdb::DataChunk& image,
                        const duckdb::SelectionVector& places) {
                      duckdb::Vector row_ids(duckdb::LogicalType::BIGINT);
                      const bool has_ids = layout_->tracks_rows();
                      if (has_ids) row_ids.Slice(old_rows.data[columns + 2], places, image.size());
                      WriteNewRows(local, clause, image, has_ids ? &row_ids : nullptr,
                                   "update_postimage", "UPDATE");
                    });
}

void RowChangeState::CopyRows(Local& local, duckdb::DataChunk& rows) {
  const size_t columns = layout_->columns.size();
  duckdb::DataChunk out;
  out.InitializeEmpty(data_.row_types());
  for (size_t i = 0; i < columns; i++) out.data[i].Reference(rows.data[i]);
  if (layout_->tracks_rows()) {
    out.data[columns].Reference(rows.data[columns + 2]);
    out.data[columns + 1].Reference(rows.data[columns + 3]);
  }
  out.SetCardinality(rows.size());
  data_.Append(local.data, out);
  copied_rows_ += static_cast<int64_t>(rows.size());
}

}  // namespace weir::engine
