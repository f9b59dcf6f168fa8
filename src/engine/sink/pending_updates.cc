// SPDX-License-Identifier: Apache-2.0
#include "engine/sink/pending_updates.h"

#include <algorithm>

#include "duckdb/planner/expression/bound_reference_expression.hpp"

namespace weir::engine {
namespace {

constexpr size_t kFile = 0;
constexpr size_t kRow = 1;
constexpr size_t kClause = 2;
constexpr size_t kFirstSetColumn = 3;

duckdb::BoundOrderByNode Ascending(const duckdb::LogicalType& type, size_t column) {
  return {duckdb::OrderType::ASCENDING, duckdb::OrderByNullType::NULLS_LAST,
          duckdb::make_uniq<duckdb::BoundReferenceExpression>(type, column)};
}

bool Sets(const RowClause& clause, size_t column) {
  return std::find(clause.kept.begin(), clause.kept.end(), column) == clause.kept.end();
}

}  // namespace

PendingUpdates::PendingUpdates(duckdb::ClientContext& context, const RowChangeSpec& spec,
                               duckdb::vector<duckdb::LogicalType> columns)
    : context_(context), columns_(std::move(columns)) {
  for (const auto& of_class : spec.clauses) {
    for (const auto& clause : of_class) {
      if (!clause.kept.empty()) clauses_.push_back(&clause);
    }
  }
  if (clauses_.empty()) return;
  types_ = {duckdb::LogicalType::UBIGINT, duckdb::LogicalType::BIGINT,
            duckdb::LogicalType::UINTEGER};
  for (size_t i = 0; i < columns_.size(); i++) {
    if (std::none_of(clauses_.begin(), clauses_.end(),
                     [i](const RowClause* clause) { return Sets(*clause, i); }))
      continue;
    set_columns_.push_back(i);
    types_.push_back(columns_[i]);
  }
  duckdb::vector<duckdb::BoundOrderByNode> orders;
  orders.push_back(Ascending(types_[kFile], kFile));
  orders.push_back(Ascending(types_[kRow], kRow));
  duckdb::vector<duckdb::idx_t> all;
  for (size_t i = 0; i < types_.size(); i++) all.push_back(i);
  sort_ = std::make_unique<duckdb::Sort>(context_, orders, types_, std::move(all));
  sink_ = sort_->GetGlobalSinkState(context_);
}

PendingUpdates::~PendingUpdates() = default;

std::vector<bool> PendingUpdates::UnkeptColumns() const {
  std::vector<bool> unkept(columns_.size());
  for (size_t i = 0; i < columns_.size(); i++) {
    unkept[i] = std::all_of(clauses_.begin(), clauses_.end(),
                            [i](const RowClause* clause) { return Sets(*clause, i); });
  }
  return unkept;
}

std::unique_ptr<PendingUpdates::Local> PendingUpdates::NewLocal() {
  if (!sort_) return nullptr;
  auto local = std::make_unique<Local>(context_);
  local->state = sort_->GetLocalSinkState(local->context);
  return local;
}

void PendingUpdates::Add(Local& local, const RowClause& clause, duckdb::Vector& files,
                         duckdb::Vector& rows, duckdb::DataChunk& image) {
  duckdb::DataChunk out;
  out.InitializeEmpty(types_);
  out.data[kFile].Reference(files);
  out.data[kRow].Reference(rows);
  const auto place = std::find(clauses_.begin(), clauses_.end(), &clause) - clauses_.begin();
  out.data[kClause].Reference(duckdb::Value::UINTEGER(static_cast<uint32_t>(place)));
  for (size_t i = 0; i < set_columns_.size(); i++) {
    out.data[kFirstSetColumn + i].Reference(image.data[set_columns_[i]]);
  }
  out.SetCardinality(image.size());
  duckdb::InterruptState interrupt;
  duckdb::OperatorSinkInput input{*sink_, *local.state, interrupt};
  sort_->Sink(local.context, out, input);
}

void PendingUpdates::Combine(Local& local) {
  duckdb::InterruptState interrupt;
  duckdb::OperatorSinkCombineInput input{*sink_, *local.state, interrupt};
  sort_->Combine(local.context, input);
}

void PendingUpdates::Seal() {
  if (!sort_) return;
  duckdb::InterruptState interrupt;
  duckdb::OperatorSinkFinalizeInput input{*sink_, interrupt};
  if (sort_->Finalize(context_, input) == duckdb::SinkFinalizeType::NO_OUTPUT_POSSIBLE) return;
  merge_ = sort_->GetGlobalSourceState(context_, *sink_);
}

void PendingUpdates::MergeRuns() {
  Local local(context_);
  auto state = sort_->GetLocalSourceState(local.context, *merge_);
  duckdb::InterruptState interrupt;
  duckdb::OperatorSourceInput input{*merge_, *state, interrupt};
  sort_->MaterializeColumnData(local.context, input);
}

void PendingUpdates::Index() {
  Local local(context_);
  auto state = sort_->GetLocalSourceState(local.context, *merge_);
  duckdb::InterruptState interrupt;
  duckdb::OperatorSourceInput input{*merge_, *state, interrupt};
  sorted_ = sort_->GetColumnData(input);
  uint64_t count = 0;
  for (auto& chunk : sorted_->Chunks({kFile, kRow})) {
    const auto file = duckdb::FlatVector::GetData<uint64_t>(chunk.data[0])[0];
    const auto row = duckdb::FlatVector::GetData<int64_t>(chunk.data[1])[0];
    chunks_.push_back({{file, row}, count});
    count += chunk.size();
  }
}

void PendingUpdates::Complete(Cursor& cursor, uint64_t file, duckdb::Vector& rows,
                              duckdb::DataChunk& old_rows, const Visitor& visit) const {
  if (!sorted_ || chunks_.empty()) return;
  const size_t count = old_rows.size();
  duckdb::UnifiedVectorFormat format;
  rows.ToUnifiedFormat(count, format);
  const auto* numbers = duckdb::UnifiedVectorFormat::GetData<int64_t>(format);
  const auto number = [&](size_t i) { return numbers[format.sel->get_index(i)]; };
  const Position first(file, number(0));
  const Position last(file, number(count - 1));

  auto at = std::upper_bound(chunks_.begin(), chunks_.end(), first,
                             [](const Position& a, const auto& b) { return a < b.first; });
  if (at != chunks_.begin()) --at;
  if (cursor.chunk.ColumnCount() == 0) {
    sorted_->InitializeScan(cursor.scan);
    sorted_->InitializeScanChunk(cursor.scan, cursor.chunk);
  }
  for (size_t old = 0; at != chunks_.end() && at->first <= last; ++at) {
    sorted_->Seek(at->second, cursor.scan, cursor.chunk);
    const auto* files = duckdb::FlatVector::GetData<uint64_t>(cursor.chunk.data[kFile]);
    const auto* places = duckdb::FlatVector::GetData<int64_t>(cursor.chunk.data[kRow]);
    const size_t pending_count = cursor.chunk.size();
    size_t pending = 0;
    while (pending < pending_count && Position(files[pending], places[pending]) < first) pending++;
    duckdb::SelectionVector new_rows(STANDARD_VECTOR_SIZE);
    duckdb::SelectionVector matched(STANDARD_VECTOR_SIZE);
    size_t matches = 0;
    for (; pending < pending_count && files[pending] == file; pending++) {
      while (old < count && number(old) < places[pending]) old++;
      if (old == count) break;
      if (number(old) != places[pending]) continue;
      new_rows.set_index(matches, pending);
      matched.set_index(matches++, old);
    }
    if (matches > 0) VisitMatches(cursor.chunk, new_rows, matched, matches, old_rows, visit);
  }
}

void PendingUpdates::VisitMatches(const duckdb::DataChunk& pending,
                                  const duckdb::SelectionVector& new_rows,
                                  const duckdb::SelectionVector& matched_old, size_t count,
                                  duckdb::DataChunk& old_rows, const Visitor& visit) const {
  const auto* clause_of = duckdb::FlatVector::GetData<uint32_t>(pending.data[kClause]);
  for (size_t clause = 0; clause < clauses_.size(); clause++) {
    duckdb::SelectionVector own_new(STANDARD_VECTOR_SIZE);
    duckdb::SelectionVector own_old(STANDARD_VECTOR_SIZE);
    size_t own = 0;
    for (size_t i = 0; i < count; i++) {
      if (clause_of[new_rows.get_index(i)] != clause) continue;
      own_new.set_index(own, new_rows.get_index(i));
      own_old.set_index(own++, matched_old.get_index(i));
    }
    if (own == 0) continue;
    duckdb::DataChunk image;
    image.InitializeEmpty(columns_);
    for (size_t i = 0; i < columns_.size(); i++) {
      if (!Sets(*clauses_[clause], i)) image.data[i].Slice(old_rows.data[i], own_old, own);
    }
    for (size_t i = 0; i < set_columns_.size(); i++) {
      const size_t column = set_columns_[i];
      if (!Sets(*clauses_[clause], column)) continue;
      image.data[column].Slice(pending.data[kFirstSetColumn + i], own_new, own);
    }
    image.SetCardinality(own);
    visit(*clauses_[clause], image, own_old);
  }
}

}  // namespace weir::engine
