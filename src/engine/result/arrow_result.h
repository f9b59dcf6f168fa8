// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "duckdb/common/arrow/arrow.hpp"
#include "duckdb/main/connection.hpp"
#include "duckdb/main/query_result.hpp"

namespace weir::engine {

/// Fills `out` with the rows of `result`; the connection lives as long as the stream.
void MakeArrowStream(std::shared_ptr<duckdb::Connection> connection,
                     duckdb::unique_ptr<duckdb::QueryResult> result, ArrowArrayStream* out);

}  // namespace weir::engine
