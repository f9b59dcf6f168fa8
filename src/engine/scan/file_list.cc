// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/file_list.h"

#include <algorithm>
#include <utility>

#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/table_filter.hpp"

#include "delta/actions/file_path.h"
#include "engine/duckdb_errors.h"
#include "engine/scan/change_type_filter.h"
#include "engine/scan/file_selection.h"
#include "engine/scan/predicates.h"
#include "storage/remote_store.h"

namespace weir::engine {

namespace {

size_t Enter(const ScanSource& source, const delta::PredicatePtr& condition) {
  return source.reads ? source.reads->Add(condition) : 0;
}

}  // namespace

WeirFileList::WeirFileList(ScanSourcePtr source)
    : source_(std::move(source)),
      files_(std::make_shared<const ScanFiles>(source_->state)),
      read_(Enter(*source_, nullptr)) {}

WeirFileList::WeirFileList(ScanSourcePtr source, std::shared_ptr<const ScanFiles> files,
                           delta::PredicatePtr condition, size_t read)
    : source_(std::move(source)),
      files_(std::move(files)),
      condition_(std::move(condition)),
      read_(read) {}

duckdb::OpenFileInfo WeirFileList::GetFile(duckdb::idx_t i) const {
  if (i >= files_->size()) return {};
  duckdb::OpenFileInfo file(PathOf(i));
  // What the log tells need not be asked for.
  const int64_t size = files_->file_size(i);
  if (size > 0 && storage::IsRemoteLocation(file.path)) {
    file.extended_info = duckdb::make_shared_ptr<duckdb::ExtendedOpenFileInfo>();
    auto& options = file.extended_info->options;
    options["file_size"] = duckdb::Value::UBIGINT(static_cast<uint64_t>(size));
    options["last_modified"] =
        duckdb::Value::TIMESTAMP(duckdb::timestamp_t(files_->modification_time(i) * 1000));
    if (files_->size() > 1) {
      options["read_ahead"] = duckdb::Value::UBIGINT(ReadAheadNumber());
      options["place"] = duckdb::Value::UBIGINT(i);
    }
  }
  return file;
}

std::string WeirFileList::PathOf(size_t i) const {
  return OrThrow(ResolveDataPath(source_->state->log().root, files_->path(i), source_->allowed_root,
                                 source_->allow_external));
}

uint64_t WeirFileList::ReadAheadNumber() const {
  std::call_once(ahead_begun_, [&] {
    // Files elsewhere (of a shallow clone) are read when their turn comes. What is captured lives
    // as long as it is needed: a reader may still hold the ReadAhead when this list is gone.
    auto piece_at = [source = source_,
                     files = files_](size_t place) -> std::optional<storage::ReadAhead::Piece> {
      const auto path = ResolveDataPath(source->state->log().root, files->path(place),
                                        source->allowed_root, source->allow_external);
      const int64_t size = files->file_size(place);
      if (!path || size <= 0 || !delta::IsWithinTable(source->state->log().root, *path))
        return std::nullopt;
      return TailOf(*path, size);
    };
    ahead_ = std::make_unique<RegisteredReadAhead>(std::make_shared<storage::ReadAhead>(
        source_->state->log().store, files_->size(), std::move(piece_at)));
  });
  return ahead_->number();
}

duckdb::vector<duckdb::OpenFileInfo> WeirFileList::GetAllFiles() const {
  return GetDisplayFileList({});
}

duckdb::vector<duckdb::OpenFileInfo> WeirFileList::GetDisplayFileList(
    duckdb::optional_idx max_files) const {
  size_t count = files_->size();
  if (max_files.IsValid()) count = std::min<size_t>(count, max_files.GetIndex());
  duckdb::vector<duckdb::OpenFileInfo> result;
  result.reserve(count);
  for (size_t i = 0; i < count; ++i) result.push_back(GetFile(i));
  return result;
}

duckdb::FileExpandResult WeirFileList::GetExpandResult() const {
  if (files_->size() == 0) return duckdb::FileExpandResult::NO_FILES;
  return files_->size() == 1 ? duckdb::FileExpandResult::SINGLE_FILE
                             : duckdb::FileExpandResult::MULTIPLE_FILES;
}

duckdb::MultiFileCount WeirFileList::GetFileCount(duckdb::idx_t) const {
  return duckdb::MultiFileCount(files_->size());
}

duckdb::unique_ptr<duckdb::MultiFileList> WeirFileList::Copy() const {
  return duckdb::make_uniq<WeirFileList>(source_, files_, condition_, Enter(*source_, condition_));
}

duckdb::unique_ptr<duckdb::NodeStatistics> WeirFileList::GetCardinality(
    duckdb::ClientContext&) const {
  std::call_once(counted_, [&] { rows_ = CountRows(*files_, true).rows; });
  return duckdb::make_uniq<duckdb::NodeStatistics>(rows_);
}

namespace {

std::optional<ColumnTarget> TargetOf(const ScanSource& source, duckdb::column_t column) {
  if (duckdb::IsVirtualColumn(column)) return std::nullopt;
  const auto& field = source.state->schema()->fields()[column];
  return ColumnTarget{{field.name}, field.type.get()};
}

// The place in the schema of the column that an expression over the scan refers to, or -1.
int ColumnOf(const duckdb::MultiFilePushdownInfo& info, const duckdb::Expression& expression) {
  if (expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_COLUMN_REF) return -1;
  const auto& binding = expression.Cast<duckdb::BoundColumnRefExpression>().binding;
  if (binding.table_index != info.table_index || binding.column_index >= info.column_ids.size())
    return -1;
  const auto column = info.column_ids[binding.column_index];
  return duckdb::IsVirtualColumn(column) ? -1 : static_cast<int>(column);
}

}  // namespace

duckdb::unique_ptr<duckdb::MultiFileList> WeirFileList::ComplexFilterPushdown(
    duckdb::ClientContext& context, const duckdb::MultiFileOptions&,
    duckdb::MultiFilePushdownInfo& info,
    duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) const {
  if (filters.empty()) return nullptr;
  auto column_of = [&](const duckdb::Expression& expression) { return ColumnOf(info, expression); };
  auto resolve = [&](const duckdb::Expression& expression) -> std::optional<ColumnTarget> {
    const int column = column_of(expression);
    return column < 0 ? std::nullopt : TargetOf(*source_, static_cast<duckdb::column_t>(column));
  };
  std::vector<delta::PredicatePtr> conditions;
  if (condition_) conditions.push_back(condition_);
  for (const auto& filter : filters) conditions.push_back(ToPredicate(*filter, resolve));
  auto condition = delta::Predicate::And(std::move(conditions));

  auto places = SelectByCondition(*files_, condition);
  for (const auto& filter : filters) {
    SelectByPartitions(context, *files_, *filter, column_of, places);
    if (source_->changes)
      SelectByChangeType(context, *files_, *source_->changes, *filter, column_of, places);
  }
  if (source_->reads) source_->reads->Refine(read_, condition);
  return duckdb::make_uniq<WeirFileList>(
      source_, std::make_shared<const ScanFiles>(*files_, places), std::move(condition), read_);
}

duckdb::unique_ptr<duckdb::MultiFileList> WeirFileList::DynamicFilterPushdown(
    duckdb::ClientContext&, const duckdb::MultiFileOptions&, const duckdb::vector<duckdb::string>&,
    const duckdb::vector<duckdb::LogicalType>&, const duckdb::vector<duckdb::column_t>& column_ids,
    duckdb::TableFilterSet& filters) const {
  if (files_->size() <= 1) return nullptr;
  std::vector<delta::PredicatePtr> conditions;
  for (const auto& [index, filter] : filters.filters) {
    if (auto target = TargetOf(*source_, column_ids[index]))
      conditions.push_back(ToPredicate(*filter, *target));
  }
  if (conditions.empty()) return nullptr;
  auto places = SelectByCondition(*files_, delta::Predicate::And(std::move(conditions)));
  if (places.size() == files_->size()) return nullptr;
  return duckdb::make_uniq<WeirFileList>(
      source_, std::make_shared<const ScanFiles>(*files_, places), condition_, read_);
}

}  // namespace weir::engine
