// SPDX-License-Identifier: Apache-2.0
#include "engine/register.h"

#include "duckdb/main/database.hpp"
#include "engine/catalog/catalog.h"

namespace weir::engine {

void Register(duckdb::DatabaseInstance& db) { RegisterStorage(duckdb::DBConfig::GetConfig(db)); }

}  // namespace weir::engine
