// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/file_selection.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"

#include "base/text.h"
#include "delta/partitions/partition_values.h"
#include "delta/statistics/file_pruner.h"
#include "delta/statistics/file_statistics.h"
#include "engine/catalog/type_mapping.h"
#include "engine/values.h"

namespace weir::engine {
namespace {

// Beyond so many files the row count is guessed from their size.
constexpr size_t kMaxCountedFiles = 20000;
constexpr int64_t kGuessedBytesPerRow = 64;

}  // namespace

std::vector<uint32_t> SelectByCondition(const ScanFiles& files,
                                        const delta::PredicatePtr& condition) {
  const TableState& state = files.state();
  delta::FilePruner pruner(*state.schema(), state.metadata(), condition);
  std::vector<uint32_t> places;
  bool in_snapshot = false;
  for (uint32_t i = 0; i < files.size(); ++i) {
    const auto snapshot_index = files.snapshot_index(i);
    const auto match = snapshot_index
                           ? pruner.Evaluate(state.snapshot()->files(), *snapshot_index, nullptr)
                           : pruner.Evaluate(files.Get(i));
    if (match == delta::FileMatch::kNever) continue;
    places.push_back(i);
    in_snapshot |= snapshot_index.has_value();
  }
  if (!in_snapshot || pruner.statistics_columns().empty()) return places;
  auto statistics = state.snapshot()->files().ReadStatistics(pruner.statistics_columns());
  if (!statistics) return places;
  std::erase_if(places, [&](uint32_t i) {
    const auto index = files.snapshot_index(i);
    return index && pruner.Evaluate(state.snapshot()->files(), *index, statistics->get()) ==
                        delta::FileMatch::kNever;
  });
  return places;
}

namespace {

// A filter over partition columns alone, ready to be evaluated for many tuples of their values.
class PartitionFilter {
 public:
  // Null when the filter is of another kind.
  static std::unique_ptr<PartitionFilter> Make(
      duckdb::ClientContext& context, const TableState& state, const duckdb::Expression& filter,
      const std::function<int(const duckdb::Expression&)>& column_of) {
    if (filter.IsVolatile() || filter.HasParameter() || filter.HasSubquery()) return nullptr;
    auto result = std::unique_ptr<PartitionFilter>(new PartitionFilter(context));
    result->expression_ = filter.Copy();
    bool usable = true;
    duckdb::ExpressionIterator::VisitExpressionMutable<duckdb::BoundColumnRefExpression>(
        result->expression_, [&](duckdb::BoundColumnRefExpression& reference,
                                 duckdb::unique_ptr<duckdb::Expression>& slot) {
          const int input = result->InputFor(state, column_of(reference));
          if (input < 0) {
            usable = false;
          } else {
            slot =
                duckdb::make_uniq<duckdb::BoundReferenceExpression>(reference.return_type, input);
          }
        });
    return usable && !result->inputs_.empty() ? std::move(result) : nullptr;
  }

  // Which places have values for which the filter is true. Throws what the expression throws.
  void Apply(const ScanFiles& files, std::vector<uint32_t>& places) {
    std::unordered_map<std::string, uint32_t> tuples;
    std::vector<uint32_t> tuple_of(places.size());
    std::vector<uint32_t> example;
    for (size_t n = 0; n < places.size(); ++n) {
      auto [it, inserted] =
          tuples.try_emplace(Key(files, places[n]), static_cast<uint32_t>(example.size()));
      if (inserted) example.push_back(places[n]);
      tuple_of[n] = it->second;
    }
    const auto truth = Evaluate(files, example);
    size_t kept = 0;
    for (size_t n = 0; n < places.size(); ++n) {
      if (truth[tuple_of[n]]) places[kept++] = places[n];
    }
    places.resize(kept);
  }

 private:
  struct Input {
    size_t partition;
    delta::TypePtr type;
    duckdb::LogicalType duckdb_type;
  };

  explicit PartitionFilter(duckdb::ClientContext& context) : context_(context) {}

  int InputFor(const TableState& state, int column) {
    if (column < 0) return -1;
    const auto& field = state.schema()->fields()[static_cast<size_t>(column)];
    const auto& names = state.metadata().partition_columns;
    for (size_t k = 0; k < names.size(); ++k) {
      if (!EqualsIgnoreCase(names[k], field.name)) continue;
      auto type = ToDuckDB(*field.type);
      if (!type) return -1;
      inputs_.push_back({k, field.type, *type});
      return static_cast<int>(inputs_.size()) - 1;
    }
    return -1;
  }

  std::string Key(const ScanFiles& files, uint32_t place) const {
    std::string key;
    for (const auto& input : inputs_) {
      auto value = files.partition_value(place, input.partition);
      key += value ? 'v' + std::to_string(value->size()) + ':' : std::string("n");
      if (value) key += *value;
    }
    return key;
  }

  std::vector<bool> Evaluate(const ScanFiles& files, const std::vector<uint32_t>& places) {
    duckdb::vector<duckdb::LogicalType> types;
    for (const auto& input : inputs_) types.push_back(input.duckdb_type);
    duckdb::DataChunk chunk;
    chunk.Initialize(duckdb::Allocator::DefaultAllocator(), types);
    duckdb::ExpressionExecutor executor(context_, *expression_);
    std::vector<bool> truth(places.size());
    for (size_t first = 0; first < places.size(); first += STANDARD_VECTOR_SIZE) {
      const size_t count = std::min<size_t>(STANDARD_VECTOR_SIZE, places.size() - first);
      chunk.Reset();
      for (size_t row = 0; row < count; ++row) {
        for (size_t k = 0; k < inputs_.size(); ++k)
          chunk.SetValue(k, row, ValueOf(files, places[first + row], inputs_[k]));
      }
      chunk.SetCardinality(count);
      duckdb::SelectionVector selected(STANDARD_VECTOR_SIZE);
      const auto hits = executor.SelectExpression(chunk, selected);
      for (size_t n = 0; n < hits; ++n) truth[first + selected.get_index(n)] = true;
    }
    return truth;
  }

  static duckdb::Value ValueOf(const ScanFiles& files, uint32_t place, const Input& input) {
    auto value =
        delta::ParsePartitionValue(*input.type, files.partition_value(place, input.partition));
    if (!value) throw duckdb::InvalidInputException(value.error().ToString());
    return ToDuckDB(*value, input.duckdb_type);
  }

  duckdb::ClientContext& context_;
  duckdb::unique_ptr<duckdb::Expression> expression_;
  std::vector<Input> inputs_;
};

}  // namespace

void SelectByPartitions(duckdb::ClientContext& context, const ScanFiles& files,
                        const duckdb::Expression& filter,
                        const std::function<int(const duckdb::Expression&)>& column_of,
                        std::vector<uint32_t>& places) {
  if (files.state().metadata().partition_columns.empty() || places.empty()) return;
  auto partition_filter = PartitionFilter::Make(context, files.state(), filter, column_of);
  if (!partition_filter) return;
  try {
    partition_filter->Apply(files, places);
  } catch (const duckdb::Exception&) {
    // The statement meets the same failure, if it gets to these rows at all.
  }
}

RowCount CountRows(const ScanFiles& files, bool cheap) {
  std::shared_ptr<const delta::FileStatistics> statistics;
  const auto& snapshot = files.state().snapshot();
  if (snapshot && !(cheap && files.size() > kMaxCountedFiles)) {
    auto read = snapshot->files().ReadStatistics({});
    if (read) statistics = std::move(*read);
  }
  RowCount result{0, true};
  for (size_t i = 0; i < files.size(); ++i) {
    std::optional<int64_t> count;
    const auto index = files.snapshot_index(i);
    if (!index) {
      count = delta::ReadNumRecords(files.Get(i).stats.value_or(""));
    } else if (statistics) {
      count = delta::ReadNumRecords(statistics->json(*index));
    }
    result.exact &= count.has_value();
    if (!count) count = files.file_size(i) / kGuessedBytesPerRow + 1;
    if (auto deleted = files.deletion_vector(i)) *count -= std::min(*count, deleted->cardinality);
    result.rows += static_cast<uint64_t>(std::max<int64_t>(*count, 0));
  }
  return result;
}

}  // namespace weir::engine
