// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/metadata_filters.h"

#include <utility>

#include "duckdb/function/cast/default_casts.hpp"
#include "duckdb/planner/expression/bound_cast_expression.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"

#include "engine/scan/row_metadata.h"

namespace weir::engine {
namespace {

bool IsRowMetadata(const duckdb::LogicalGet& get, const duckdb::Expression& expression) {
  if (expression.GetExpressionClass() != duckdb::ExpressionClass::BOUND_COLUMN_REF) return false;
  const auto& binding = expression.Cast<duckdb::BoundColumnRefExpression>().binding;
  const auto& columns = get.GetColumnIds();
  return binding.table_index == get.table_index && binding.column_index < columns.size() &&
         columns[binding.column_index].GetPrimaryIndex() == kRowMetadataColumn;
}

bool IsShield(const duckdb::Expression& expression) {
  return expression.GetExpressionClass() == duckdb::ExpressionClass::BOUND_CAST &&
         expression.Cast<duckdb::BoundCastExpression>().child->return_type ==
             expression.return_type;
}

void Shield(const duckdb::LogicalGet& get, duckdb::unique_ptr<duckdb::Expression>& expression) {
  if (IsShield(*expression)) return;
  if (IsRowMetadata(get, *expression)) {
    auto type = expression->return_type;
    expression = duckdb::make_uniq<duckdb::BoundCastExpression>(std::move(expression), type,
                                                                duckdb::DefaultCasts::NopCast);
    return;
  }
  duckdb::ExpressionIterator::EnumerateChildren(
      *expression, [&](duckdb::unique_ptr<duckdb::Expression>& child) { Shield(get, child); });
}

}  // namespace

void ShieldMetadataFilters(const duckdb::LogicalGet& get,
                           duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters) {
  for (auto& filter : filters) Shield(get, filter);
}

}  // namespace weir::engine
