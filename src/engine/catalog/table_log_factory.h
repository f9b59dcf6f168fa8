// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/catalog/warehouse.h"

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace weir::engine {

/// Logs whose Parquet checkpoints are read and written by `db`, which must outlive them.
Warehouse::LogFactory MakeTableLogFactory(duckdb::DatabaseInstance& db);

}  // namespace weir::engine
