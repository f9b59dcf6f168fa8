// SPDX-License-Identifier: Apache-2.0
//
// The border between Weir's errors as values and DuckDB's exceptions. An Error thrown on DuckDB's
// side comes back on ours with its kind, name, message and SQLSTATE as they were.
#pragma once

#include "duckdb/common/error_data.hpp"

#include "base/result.h"

namespace weir::engine {

/// Throws `error` as the DuckDB exception that suits its kind, with `[NAME] message` as its text.
/// Inside src/engine this is how a hook of DuckDB's (bind, plan, sink, commit) fails.
[[noreturn]] void Throw(const Error& error);

/// The value of `result`, or Throw.
template <typename T>
T OrThrow(Result<T> result) {
  if (!result) Throw(result.error());
  return std::move(*result);
}
inline void OrThrow(const Status& status) {
  if (!status) Throw(status.error());
}

/// DuckDB's error as ours. An error that Throw made is restored. Of any other, `name` is what
/// stands in brackets where the message begins, else the one that Spark gives to what DuckDB has
/// found, else WEIR_SQL_ERROR (WEIR_INTERRUPTED for a cancelled statement).
Error FromDuckDB(const duckdb::ErrorData& data);
inline Error FromDuckDB(const std::exception& exception) {
  return FromDuckDB(duckdb::ErrorData(exception));
}

}  // namespace weir::engine
