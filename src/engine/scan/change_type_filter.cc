// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/change_type_filter.h"

#include <array>

#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/planner/expression/bound_columnref_expression.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"

namespace weir::engine {
namespace {

constexpr std::array kTypes = {"insert", "delete", "update_preimage", "update_postimage"};
constexpr size_t kInsert = 0;
constexpr size_t kDelete = 1;

// The filter over `_change_type` alone, as column 0; null when it looks at anything else.
duckdb::unique_ptr<duckdb::Expression> OverTypeAlone(
    const ChangeFeed& feed, const duckdb::Expression& filter,
    const std::function<int(const duckdb::Expression&)>& column_of) {
  if (filter.IsVolatile() || filter.HasParameter() || filter.HasSubquery()) return nullptr;
  auto expression = filter.Copy();
  bool usable = true;
  bool found = false;
  duckdb::ExpressionIterator::VisitExpressionMutable<duckdb::BoundColumnRefExpression>(
      expression, [&](duckdb::BoundColumnRefExpression& reference,
                      duckdb::unique_ptr<duckdb::Expression>& slot) {
        const int column = column_of(reference);
        usable &= column >= 0 && static_cast<size_t>(column) == feed.change_type_column;
        if (!usable) return;
        found = true;
        slot = duckdb::make_uniq<duckdb::BoundReferenceExpression>(reference.return_type, 0);
      });
  return usable && found ? std::move(expression) : nullptr;
}

// For which of kTypes the expression is true. Throws what the expression throws.
std::array<bool, kTypes.size()> Evaluate(duckdb::ClientContext& context,
                                         const duckdb::Expression& expression) {
  duckdb::DataChunk chunk;
  chunk.Initialize(duckdb::Allocator::DefaultAllocator(),
                   {duckdb::LogicalType(duckdb::LogicalTypeId::VARCHAR)});
  for (size_t i = 0; i < kTypes.size(); ++i) chunk.SetValue(0, i, duckdb::Value(kTypes[i]));
  chunk.SetCardinality(kTypes.size());
  duckdb::ExpressionExecutor executor(context, expression);
  duckdb::SelectionVector selected(STANDARD_VECTOR_SIZE);
  const auto hits = executor.SelectExpression(chunk, selected);
  std::array<bool, kTypes.size()> truth{};
  for (size_t n = 0; n < hits; ++n) truth[selected.get_index(n)] = true;
  return truth;
}

}  // namespace

void SelectByChangeType(duckdb::ClientContext& context, const ScanFiles& files,
                        const ChangeFeed& feed, const duckdb::Expression& filter,
                        const std::function<int(const duckdb::Expression&)>& column_of,
                        std::vector<uint32_t>& places) {
  const auto expression = OverTypeAlone(feed, filter, column_of);
  if (!expression) return;
  std::array<bool, kTypes.size()> truth{};
  try {
    truth = Evaluate(context, *expression);
  } catch (const duckdb::Exception&) {
    return;  // The statement meets the same failure, if it gets to these rows at all.
  }
  const bool any = truth[0] || truth[1] || truth[2] || truth[3];
  std::erase_if(places, [&](uint32_t place) {
    switch (feed.files[files.number(place)].kind) {
      case delta::ChangeKind::kInsert:
        return !truth[kInsert];
      case delta::ChangeKind::kDelete:
        return !truth[kDelete];
      case delta::ChangeKind::kChangeData:
        break;
    }
    return !any;
  });
}

}  // namespace weir::engine
