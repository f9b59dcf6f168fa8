// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tl/expected.hpp>

#include "base/error.h"

namespace weir {

/// A value or the reason why there is none. Every fallible function of Weir returns one; exceptions
/// exist only inside `engine/`, at DuckDB's border.
template <typename T>
using Result = tl::expected<T, Error>;

/// Success without a value, or the reason of a failure.
using Status = Result<void>;

/// Makes the failed side of a Result: `return Fail(NotFound("DELTA_TABLE_NOT_FOUND", ...));`.
inline tl::unexpected<Error> Fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace weir

#define WEIR_CONCAT_INNER(a, b) a##b
#define WEIR_CONCAT(a, b) WEIR_CONCAT_INNER(a, b)

/// Returns the error of `expr` (a Status or Result) from the enclosing function, if it has one.
#define WEIR_RETURN_IF_ERROR(expr)                                         \
  do {                                                                     \
    auto weir_status = (expr);                                             \
    if (!weir_status) return ::weir::Fail(std::move(weir_status).error()); \
  } while (false)

/// Declares or assigns `lhs` from the Result `expr`, or returns its error.
#define WEIR_ASSIGN_OR_RETURN(lhs, expr) \
  WEIR_ASSIGN_OR_RETURN_IMPL(WEIR_CONCAT(weir_result_, __COUNTER__), lhs, expr)
#define WEIR_ASSIGN_OR_RETURN_IMPL(result, lhs, expr)          \
  auto result = (expr);                                        \
  if (!result) return ::weir::Fail(std::move(result).error()); \
  lhs = std::move(*result)
