// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "storage/object_store.h"

namespace duckdb {
class DatabaseInstance;
}

namespace weir::engine {

/// The store for `url`, with the access that the database's secrets give: of those of type s3 (gcs
/// for Google, azure for Azure) the one whose scope fits best, as DuckDB chooses it. Without one
/// the environment decides. Errors: as storage::OpenStore.
Result<std::shared_ptr<storage::ObjectStore>> OpenStore(duckdb::DatabaseInstance& db,
                                                        const std::string& url);

}  // namespace weir::engine
