// SPDX-License-Identifier: Apache-2.0
//
// The loadable extension: `LOAD 'weir.duckdb_extension'` in a DuckDB of the same version.
#define DUCKDB_EXTENSION_MAIN
#include "duckdb/main/extension/extension_loader.hpp"

#include "engine/register.h"

extern "C" {
DUCKDB_CPP_EXTENSION_ENTRY(weir, loader) { weir::engine::Register(loader.GetDatabaseInstance()); }
}
