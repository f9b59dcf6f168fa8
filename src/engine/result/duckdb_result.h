// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "duckdb/main/connection.hpp"
#include "duckdb/main/query_result.hpp"

#include "engine/session.h"

namespace weir::engine {

/// Wraps DuckDB's streamed or materialised result. Keeps `connection` alive.
std::unique_ptr<QueryResult> WrapResult(std::shared_ptr<duckdb::Connection> connection,
                                        duckdb::unique_ptr<duckdb::QueryResult> result);

}  // namespace weir::engine
