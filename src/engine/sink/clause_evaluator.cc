// SPDX-License-Identifier: Apache-2.0
#include "engine/sink/clause_evaluator.h"

namespace weir::engine {

struct ClauseEvaluator::Compiled {
  Compiled(duckdb::ClientContext& context, const RowClause& source) : clause(source) {
    if (clause.condition) {
      condition = std::make_unique<duckdb::ExpressionExecutor>(context, *clause.condition);
    }
    if (clause.image.empty()) return;
    executor = std::make_unique<duckdb::ExpressionExecutor>(context, clause.image);
    duckdb::vector<duckdb::LogicalType> types;
    for (const auto& expression : clause.image) types.push_back(expression->return_type);
    image.Initialize(context, types);
  }

  const RowClause& clause;
  std::unique_ptr<duckdb::ExpressionExecutor> condition;
  std::unique_ptr<duckdb::ExpressionExecutor> executor;
  duckdb::DataChunk image;
};

ClauseEvaluator::ClauseEvaluator(duckdb::ClientContext& context, const RowChangeSpec& spec,
                                 const duckdb::vector<duckdb::LogicalType>& input_types)
    : spec_(spec) {
  for (size_t i = 0; i < kRowClasses; i++) {
    for (const auto& clause : spec.clauses[i]) {
      compiled_[i].push_back(std::make_unique<Compiled>(context, clause));
    }
  }
  slice_.InitializeEmpty(input_types);
  taken_.InitializeEmpty(input_types);
}

ClauseEvaluator::~ClauseEvaluator() = default;

void ClauseEvaluator::Evaluate(duckdb::DataChunk& input, const Visitor& visit) {
  if (!spec_.has_target()) {
    Take(RowClass::kNotMatchedByTarget,
         *compiled_[static_cast<size_t>(RowClass::kNotMatchedByTarget)][0], input, visit);
    return;
  }
  Classify(input);
  for (size_t i = 0; i < kRowClasses; i++) {
    if (selections_[i].count > 0 && !compiled_[i].empty()) {
      EvaluateClass(static_cast<RowClass>(i), input, visit);
    }
  }
}

void ClauseEvaluator::Classify(duckdb::DataChunk& input) {
  for (auto& selection : selections_) selection.count = 0;
  const size_t count = input.size();
  duckdb::UnifiedVectorFormat target;
  duckdb::UnifiedVectorFormat source;
  input.data[*spec_.position_start].ToUnifiedFormat(count, target);
  if (spec_.source_marker) input.data[*spec_.source_marker].ToUnifiedFormat(count, source);
  for (size_t row = 0; row < count; row++) {
    const bool has_target = target.validity.RowIsValid(target.sel->get_index(row));
    const bool has_source =
        !spec_.source_marker || source.validity.RowIsValid(source.sel->get_index(row));
    const RowClass row_class = !has_target  ? RowClass::kNotMatchedByTarget
                               : has_source ? RowClass::kMatched
                                            : RowClass::kNotMatchedBySource;
    auto& selection = selections_[static_cast<size_t>(row_class)];
    selection.rows.set_index(selection.count++, row);
  }
}

void ClauseEvaluator::EvaluateClass(RowClass row_class, duckdb::DataChunk& input,
                                    const Visitor& visit) {
  const auto& selection = selections_[static_cast<size_t>(row_class)];
  const bool is_all = selection.count == input.size();
  if (!is_all) {
    slice_.Reset();
    slice_.Slice(input, selection.rows, selection.count);
  }
  duckdb::DataChunk& rows = is_all ? input : slice_;

  // Rows that no clause has taken yet, as places in `rows`.
  duckdb::SelectionVector open;
  size_t open_count = rows.size();
  for (auto& compiled : compiled_[static_cast<size_t>(row_class)]) {
    if (open_count == 0) return;
    if (!compiled->condition && open_count == rows.size()) {
      Take(row_class, *compiled, rows, visit);
      return;
    }
    duckdb::SelectionVector hit(STANDARD_VECTOR_SIZE);
    duckdb::SelectionVector miss(STANDARD_VECTOR_SIZE);
    size_t hits = open_count;
    if (compiled->condition) {
      hits = compiled->condition->SelectExpression(rows, hit, miss, open, open_count);
      if (hits == 0) continue;
    } else {
      hit.Initialize(open);
    }
    taken_.Reset();
    taken_.Slice(rows, hit, hits);
    Take(row_class, *compiled, taken_, visit);
    open_count -= hits;
    open.Initialize(miss);
  }
}

void ClauseEvaluator::Take(RowClass row_class, Compiled& compiled, duckdb::DataChunk& input,
                           const Visitor& visit) {
  if (!compiled.executor) {
    visit(row_class, compiled.clause, input, input);
    return;
  }
  compiled.image.Reset();
  compiled.executor->Execute(input, compiled.image);
  visit(row_class, compiled.clause, input, compiled.image);
}

}  // namespace weir::engine
