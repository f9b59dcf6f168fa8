// SPDX-License-Identifier: Apache-2.0
#include "delta/statistics/predicate.h"

#include <utility>

namespace weir::delta {
namespace {

PredicatePtr Make(Predicate predicate) {
  return std::make_shared<const Predicate>(std::move(predicate));
}

}  // namespace

PredicatePtr Predicate::Unknown() { return Make({}); }

PredicatePtr Predicate::Compare(ColumnPath column, CompareOp op, Value value) {
  return Make({Kind::kCompare, std::move(column), op, {std::move(value)}, {}});
}

PredicatePtr Predicate::In(ColumnPath column, std::vector<Value> values) {
  return Make({Kind::kIn, std::move(column), CompareOp::kEqual, std::move(values), {}});
}

PredicatePtr Predicate::IsNull(ColumnPath column) {
  return Make({Kind::kIsNull, std::move(column), CompareOp::kEqual, {}, {}});
}

PredicatePtr Predicate::IsNotNull(ColumnPath column) { return Not(IsNull(std::move(column))); }

PredicatePtr Predicate::And(std::vector<PredicatePtr> children) {
  return Make({Kind::kAnd, {}, CompareOp::kEqual, {}, std::move(children)});
}

PredicatePtr Predicate::Or(std::vector<PredicatePtr> children) {
  return Make({Kind::kOr, {}, CompareOp::kEqual, {}, std::move(children)});
}

PredicatePtr Predicate::Not(PredicatePtr child) {
  return Make({Kind::kNot, {}, CompareOp::kEqual, {}, {std::move(child)}});
}

}  // namespace weir::delta
