// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "duckdb/main/extension/extension_loader.hpp"

namespace weir::engine {

/// Registers
///
///   table_change_lag('table' [, offsets => '.weir/offsets'])
///
/// How far the named consumers of a table's changes are behind it, one row each: `consumer`,
/// `next_version` (the first that it has not had), `latest_version`, `lag_versions`, `since` (the
/// time of the first commit that it has not had; NULL when there is none) and `lag_ms` from then
/// until now. `offsets` is the folder where they keep how far they are; offsets of other tables in
/// it do not count. Reads one commit for each consumer. Errors: those of ResolveTable and
/// OffsetStore.
void RegisterChangeLag(duckdb::ExtensionLoader& loader);

}  // namespace weir::engine
