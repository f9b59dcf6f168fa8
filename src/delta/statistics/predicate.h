// SPDX-License-Identifier: Apache-2.0
//
// A condition over columns, as far as partition values and statistics can decide it. Whatever a
// caller cannot express becomes Unknown(), which prunes nothing.
#pragma once

#include <memory>
#include <vector>

#include "delta/statistics/statistics_columns.h"
#include "delta/values/value.h"

namespace weir::delta {

enum class CompareOp { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

struct Predicate;
/// Immutable and shared.
using PredicatePtr = std::shared_ptr<const Predicate>;

/// A node of the condition, with SQL's three-valued logic: a comparison with NULL is NULL. Columns
/// are logical paths, found case-insensitively. A constant has the representation of the column's
/// type (see Value); one that does not compare makes its node unknown.
struct Predicate {
  enum class Kind { kUnknown, kCompare, kIn, kIsNull, kAnd, kOr, kNot };

  Kind kind = Kind::kUnknown;
  ColumnPath column;
  CompareOp op = CompareOp::kEqual;
  std::vector<Value> values;           ///< One for kCompare, any number for kIn.
  std::vector<PredicatePtr> children;  ///< Of kAnd, kOr (none: TRUE, FALSE) and kNot (one).

  static PredicatePtr Unknown();
  /// column op value
  static PredicatePtr Compare(ColumnPath column, CompareOp op, Value value);
  /// column IN (values)
  static PredicatePtr In(ColumnPath column, std::vector<Value> values);
  static PredicatePtr IsNull(ColumnPath column);
  static PredicatePtr IsNotNull(ColumnPath column);
  static PredicatePtr And(std::vector<PredicatePtr> children);
  static PredicatePtr Or(std::vector<PredicatePtr> children);
  static PredicatePtr Not(PredicatePtr child);
};

}  // namespace weir::delta
