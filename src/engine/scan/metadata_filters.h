// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "duckdb/planner/operator/logical_get.hpp"

namespace weir::engine {

/// Keeps DuckDB from turning filters on `_metadata` into filters inside the file's reader, which
/// cannot compute that column: each reference is put behind a cast to its own type. The filters
/// stay as they are otherwise and run above the scan.
void ShieldMetadataFilters(const duckdb::LogicalGet& get,
                           duckdb::vector<duckdb::unique_ptr<duckdb::Expression>>& filters);

}  // namespace weir::engine
