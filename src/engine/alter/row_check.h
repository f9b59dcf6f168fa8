// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "duckdb/main/client_context.hpp"
#include "duckdb/planner/expression.hpp"

#include "engine/catalog/table_entry.h"

namespace weir::engine {

/// The number of rows of `table`, as the running transaction sees it, for which `condition` is not
/// true (false or NULL). The condition is over the table's columns, a BoundReference each; only
/// those are read, on all threads. Throws DuckDB exceptions.
int64_t CountRowsFailing(duckdb::ClientContext& context, WeirTableEntry& table,
                         duckdb::unique_ptr<duckdb::Expression> condition);

}  // namespace weir::engine
