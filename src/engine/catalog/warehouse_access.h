// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/catalog/warehouse.h"

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace weir::engine {

/// May stand before the location in ATTACH: DuckDB itself refuses to attach s3:// and its like
/// unless the extension that it would read them with is loaded, and then attaches them READ_ONLY.
inline constexpr const char* kAttachPrefix = "weir:";

/// Stores by the secrets of `db`, and logs whose Parquet checkpoints DuckDB reads and writes. `db`
/// must outlive both.
Warehouse::Access AccessOf(duckdb::DatabaseInstance& db);

}  // namespace weir::engine
