// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/catalog/warehouse.h"

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace weir::engine {

/// Stores by the secrets of `db`, and logs whose Parquet checkpoints DuckDB reads and writes. `db`
/// must outlive both.
Warehouse::Access AccessOf(duckdb::DatabaseInstance& db);

}  // namespace weir::engine
