// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "duckdb/planner/expression.hpp"

namespace weir::engine {

/// Whether a cast from `source` to `target` makes an integer, at any depth, of what need not be
/// one: a floating-point number, a decimal or a text.
bool MakesIntegers(const duckdb::LogicalType& source, const duckdb::LogicalType& target);

/// `value` without what a column of the type `target` cannot hold of it: numbers that become
/// integers lose their fraction (1.9 is 1, -1.9 is -1). Its type stays. When it is evaluated, a
/// text that becomes an integer and does not spell one (blanks around it are fine) fails with
/// CAST_INVALID_INPUT, which names `place`.
duckdb::unique_ptr<duckdb::Expression> Truncated(duckdb::unique_ptr<duckdb::Expression> value,
                                                 const duckdb::LogicalType& target,
                                                 const std::string& place);

}  // namespace weir::engine
