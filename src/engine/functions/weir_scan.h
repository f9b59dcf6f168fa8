// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace weir::engine {

/// Registers `weir_scan('path' [, version_as_of => n | timestamp_as_of => t])`
/// (also `version` and `"timestamp"`), a table by its path or URL, and
/// the replacement scan that lets a query say `FROM 'path'` where the folder holds a `_delta_log`.
void RegisterWeirScan(duckdb::DatabaseInstance& db);

}  // namespace weir::engine
