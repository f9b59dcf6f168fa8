// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "duckdb/main/connection.hpp"
#include "duckdb/main/query_result.hpp"

#include "engine/session.h"

namespace weir::engine {

/// The only column of a table function that stands for a statement without rows (ALTER TABLE). A
/// materialised result of it counts as kNothing; a stream has yet to be read for the function to
/// run.
inline constexpr const char* kNothingColumn = "weir_nothing";

/// Wraps DuckDB's streamed or materialised result. Keeps `connection` alive.
std::unique_ptr<QueryResult> WrapResult(std::shared_ptr<duckdb::Connection> connection,
                                        duckdb::unique_ptr<duckdb::QueryResult> result);

}  // namespace weir::engine
