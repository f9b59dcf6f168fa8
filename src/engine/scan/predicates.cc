// SPDX-License-Identifier: Apache-2.0
#include "engine/scan/predicates.h"

#include <string>
#include <utility>
#include <vector>

#include "duckdb/function/scalar/struct_utils.hpp"
#include "duckdb/planner/expression/list.hpp"
#include "duckdb/planner/filter/expression_filter.hpp"
#include "duckdb/planner/filter/list.hpp"

#include "base/text.h"
#include "engine/values.h"

namespace weir::engine {

using delta::CompareOp;
using delta::Predicate;
using delta::PredicatePtr;
using duckdb::Expression;
using duckdb::ExpressionClass;
using duckdb::ExpressionType;

namespace {

std::optional<CompareOp> OpOf(ExpressionType type) {
  switch (type) {
    case ExpressionType::COMPARE_EQUAL:
      return CompareOp::kEqual;
    case ExpressionType::COMPARE_NOTEQUAL:
      return CompareOp::kNotEqual;
    case ExpressionType::COMPARE_LESSTHAN:
      return CompareOp::kLess;
    case ExpressionType::COMPARE_LESSTHANOREQUALTO:
      return CompareOp::kLessOrEqual;
    case ExpressionType::COMPARE_GREATERTHAN:
      return CompareOp::kGreater;
    case ExpressionType::COMPARE_GREATERTHANOREQUALTO:
      return CompareOp::kGreaterOrEqual;
    default:
      return std::nullopt;
  }
}

PredicatePtr CompareWith(const ColumnTarget& column, ExpressionType type,
                         const duckdb::Value& constant) {
  auto value = ToDelta(constant, *column.type);
  if (!value) return Predicate::Unknown();
  if (type == ExpressionType::COMPARE_NOT_DISTINCT_FROM) {
    if (value->is_null()) return Predicate::IsNull(column.path);
    return Predicate::And({Predicate::IsNotNull(column.path),
                           Predicate::Compare(column.path, CompareOp::kEqual, std::move(*value))});
  }
  if (type == ExpressionType::COMPARE_DISTINCT_FROM) {
    return Predicate::Not(CompareWith(column, ExpressionType::COMPARE_NOT_DISTINCT_FROM, constant));
  }
  auto op = OpOf(type);
  if (!op) return Predicate::Unknown();
  return Predicate::Compare(column.path, *op, std::move(*value));
}

PredicatePtr InList(const ColumnTarget& column, const std::vector<duckdb::Value>& constants) {
  std::vector<delta::Value> values;
  for (const auto& constant : constants) {
    auto value = ToDelta(constant, *column.type);
    if (!value) return Predicate::Unknown();
    values.push_back(std::move(*value));
  }
  return Predicate::In(column.path, std::move(values));
}

// The least text above all that begin with `prefix`, in byte order; nullopt when there is none.
std::optional<std::string> AfterPrefix(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xFF) prefix.pop_back();
  if (prefix.empty()) return std::nullopt;
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

PredicatePtr BeginsWith(const ColumnTarget& column, const std::string& prefix) {
  std::vector<PredicatePtr> both;
  both.push_back(Predicate::Compare(column.path, CompareOp::kGreaterOrEqual, delta::Value(prefix)));
  if (auto end = AfterPrefix(prefix)) {
    both.push_back(
        Predicate::Compare(column.path, CompareOp::kLess, delta::Value(std::move(*end))));
  }
  return Predicate::And(std::move(both));
}

// Translates one bound expression.
class Translator {
 public:
  explicit Translator(const ColumnResolver& resolve) : resolve_(resolve) {}

  PredicatePtr Translate(const Expression& expression) const {
    switch (expression.GetExpressionClass()) {
      case ExpressionClass::BOUND_CONJUNCTION:
        return Conjunction(expression.Cast<duckdb::BoundConjunctionExpression>());
      case ExpressionClass::BOUND_COMPARISON:
        return Comparison(expression.Cast<duckdb::BoundComparisonExpression>());
      case ExpressionClass::BOUND_BETWEEN:
        return Between(expression.Cast<duckdb::BoundBetweenExpression>());
      case ExpressionClass::BOUND_OPERATOR:
        return Operator(expression.Cast<duckdb::BoundOperatorExpression>());
      case ExpressionClass::BOUND_FUNCTION:
        return Function(expression.Cast<duckdb::BoundFunctionExpression>());
      default:
        return BooleanColumn(expression);
    }
  }

 private:
  static const duckdb::Value* ConstantOf(const Expression& expression) {
    if (expression.GetExpressionClass() != ExpressionClass::BOUND_CONSTANT) return nullptr;
    return &expression.Cast<duckdb::BoundConstantExpression>().value;
  }

  std::optional<ColumnTarget> Column(const Expression& expression) const {
    if (expression.GetExpressionClass() == ExpressionClass::BOUND_FUNCTION) {
      return Field(expression.Cast<duckdb::BoundFunctionExpression>());
    }
    if (expression.GetExpressionClass() == ExpressionClass::BOUND_CAST) {
      return Widened(expression.Cast<duckdb::BoundCastExpression>());
    }
    return resolve_(expression);
  }

  std::optional<ColumnTarget> Field(const duckdb::BoundFunctionExpression& function) const {
    const bool extracts =
        function.function.name == "struct_extract" || function.function.name == "struct_extract_at";
    if (!extracts || !function.bind_info || function.children.empty()) return std::nullopt;
    auto column = Column(*function.children[0]);
    if (!column || column->type->kind() != delta::TypeKind::kStruct) return std::nullopt;
    const auto index = function.bind_info->Cast<duckdb::StructExtractBindData>().index;
    const auto& field = column->type->fields().at(index);
    column->path.push_back(field.name);
    column->type = field.type.get();
    return column;
  }

  // An integer that was only widened still has its value.
  std::optional<ColumnTarget> Widened(const duckdb::BoundCastExpression& cast) const {
    const auto& from = cast.child->return_type;
    const auto& to = cast.return_type;
    const bool widens =
        from.IsIntegral() && to.IsIntegral() && !cast.try_cast &&
        duckdb::GetTypeIdSize(from.InternalType()) <= duckdb::GetTypeIdSize(to.InternalType()) &&
        from.IsSigned() == to.IsSigned();
    return widens ? Column(*cast.child) : std::nullopt;
  }

  PredicatePtr Conjunction(const duckdb::BoundConjunctionExpression& conjunction) const {
    std::vector<PredicatePtr> children;
    for (const auto& child : conjunction.children) children.push_back(Translate(*child));
    return conjunction.type == ExpressionType::CONJUNCTION_AND ? Predicate::And(std::move(children))
                                                               : Predicate::Or(std::move(children));
  }

  PredicatePtr Comparison(const duckdb::BoundComparisonExpression& comparison) const {
    if (const auto* constant = ConstantOf(*comparison.right)) {
      if (auto column = Column(*comparison.left))
        return CompareWith(*column, comparison.type, *constant);
    } else if (const auto* left = ConstantOf(*comparison.left)) {
      if (auto column = Column(*comparison.right)) {
        return CompareWith(*column, duckdb::FlipComparisonExpression(comparison.type), *left);
      }
    }
    return Predicate::Unknown();
  }

  PredicatePtr Between(const duckdb::BoundBetweenExpression& between) const {
    const auto* lower = ConstantOf(*between.lower);
    const auto* upper = ConstantOf(*between.upper);
    auto column = Column(*between.input);
    if (!column || !lower || !upper) return Predicate::Unknown();
    return Predicate::And({CompareWith(*column, between.LowerComparisonType(), *lower),
                           CompareWith(*column, between.UpperComparisonType(), *upper)});
  }

  PredicatePtr Operator(const duckdb::BoundOperatorExpression& op) const {
    switch (op.type) {
      case ExpressionType::OPERATOR_NOT:
        return Predicate::Not(Translate(*op.children[0]));
      case ExpressionType::OPERATOR_IS_NULL:
      case ExpressionType::OPERATOR_IS_NOT_NULL: {
        auto column = Column(*op.children[0]);
        if (!column) return Predicate::Unknown();
        return op.type == ExpressionType::OPERATOR_IS_NULL ? Predicate::IsNull(column->path)
                                                           : Predicate::IsNotNull(column->path);
      }
      case ExpressionType::COMPARE_IN:
        return In(op);
      case ExpressionType::COMPARE_NOT_IN:
        return Predicate::Not(In(op));
      default:
        return Predicate::Unknown();
    }
  }

  PredicatePtr In(const duckdb::BoundOperatorExpression& op) const {
    auto column = Column(*op.children[0]);
    if (!column) return Predicate::Unknown();
    std::vector<duckdb::Value> constants;
    for (size_t i = 1; i < op.children.size(); ++i) {
      const auto* constant = ConstantOf(*op.children[i]);
      if (!constant) return Predicate::Unknown();
      constants.push_back(*constant);
    }
    return InList(*column, constants);
  }

  // LIKE 'abc%' arrives as prefix(column, 'abc').
  PredicatePtr Function(const duckdb::BoundFunctionExpression& function) const {
    const auto& name = function.function.name;
    const bool prefix = name == "prefix" || name == "starts_with" || name == "^@";
    if (!prefix || function.children.size() != 2) return BooleanColumn(function);
    const auto* constant = ConstantOf(*function.children[1]);
    auto column = Column(*function.children[0]);
    const bool text =
        constant && !constant->IsNull() && constant->type().id() == duckdb::LogicalTypeId::VARCHAR;
    if (!column || column->type->kind() != delta::TypeKind::kString || !text)
      return Predicate::Unknown();
    return BeginsWith(*column, duckdb::StringValue::Get(*constant));
  }

  PredicatePtr BooleanColumn(const Expression& expression) const {
    auto column = Column(expression);
    if (!column || column->type->kind() != delta::TypeKind::kBoolean) return Predicate::Unknown();
    return Predicate::Compare(column->path, CompareOp::kEqual, delta::Value(true));
  }

  const ColumnResolver& resolve_;
};

template <typename Filters>
std::vector<PredicatePtr> ToPredicates(const Filters& filters, const ColumnTarget& column) {
  std::vector<PredicatePtr> predicates;
  for (const auto& filter : filters) predicates.push_back(ToPredicate(*filter, column));
  return predicates;
}

PredicatePtr OfField(const duckdb::StructFilter& filter, const ColumnTarget& column) {
  if (column.type->kind() != delta::TypeKind::kStruct ||
      filter.child_idx >= column.type->fields().size()) {
    return Predicate::Unknown();
  }
  const auto& field = column.type->fields()[filter.child_idx];
  ColumnTarget target = column;
  target.path.push_back(field.name);
  target.type = field.type.get();
  return ToPredicate(*filter.child_filter, target);
}

PredicatePtr OfDynamic(const duckdb::DynamicFilter& filter, const ColumnTarget& column) {
  if (!filter.filter_data) return Predicate::Unknown();
  std::lock_guard lock(filter.filter_data->lock);
  if (!filter.filter_data->initialized || !filter.filter_data->filter) return Predicate::Unknown();
  return ToPredicate(*filter.filter_data->filter, column);
}

}  // namespace

PredicatePtr ToPredicate(const Expression& expression, const ColumnResolver& resolve) {
  return Translator(resolve).Translate(expression);
}

PredicatePtr ToPredicate(const duckdb::TableFilter& filter, const ColumnTarget& column) {
  using duckdb::TableFilterType;
  switch (filter.filter_type) {
    case TableFilterType::CONSTANT_COMPARISON: {
      const auto& constant = filter.Cast<duckdb::ConstantFilter>();
      return CompareWith(column, constant.comparison_type, constant.constant);
    }
    case TableFilterType::IS_NULL:
      return Predicate::IsNull(column.path);
    case TableFilterType::IS_NOT_NULL:
      return Predicate::IsNotNull(column.path);
    case TableFilterType::CONJUNCTION_AND:
      return Predicate::And(
          ToPredicates(filter.Cast<duckdb::ConjunctionAndFilter>().child_filters, column));
    case TableFilterType::CONJUNCTION_OR:
      return Predicate::Or(
          ToPredicates(filter.Cast<duckdb::ConjunctionOrFilter>().child_filters, column));
    case TableFilterType::IN_FILTER: {
      const auto& values = filter.Cast<duckdb::InFilter>().values;
      return InList(column, {values.begin(), values.end()});
    }
    case TableFilterType::STRUCT_EXTRACT:
      return OfField(filter.Cast<duckdb::StructFilter>(), column);
    case TableFilterType::OPTIONAL_FILTER: {
      const auto& optional = filter.Cast<duckdb::OptionalFilter>();
      return optional.child_filter ? ToPredicate(*optional.child_filter, column)
                                   : Predicate::Unknown();
    }
    case TableFilterType::DYNAMIC_FILTER:
      return OfDynamic(filter.Cast<duckdb::DynamicFilter>(), column);
    case TableFilterType::EXPRESSION_FILTER:
      return ToPredicate(*filter.Cast<duckdb::ExpressionFilter>().expr,
                         [&](const Expression& reference) -> std::optional<ColumnTarget> {
                           if (reference.type != ExpressionType::BOUND_REF) return std::nullopt;
                           return column;
                         });
    default:
      return Predicate::Unknown();
  }
}

}  // namespace weir::engine
