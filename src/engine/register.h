// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace duckdb {
class DatabaseInstance;
}  // namespace duckdb

namespace weir::engine {

/// Makes everything of Weir known to a DuckDB instance: the storage type `weir` for ATTACH, table
/// functions, the replacement scan, settings and statements. The embedded session and the loadable
/// extension both come through here. Call once per instance, before it runs statements of ours.
/// Throws DuckDB exceptions.
void Register(duckdb::DatabaseInstance& db);

}  // namespace weir::engine
