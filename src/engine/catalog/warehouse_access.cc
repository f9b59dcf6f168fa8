// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/warehouse_access.h"

#include <utility>

#include "engine/checkpoint/parquet_checkpoint_io.h"
#include "engine/remote/secrets.h"

namespace weir::engine {

Warehouse::Access AccessOf(duckdb::DatabaseInstance& db) {
  Warehouse::Access access;
  access.open_store = [&db](const std::string& url) { return OpenStore(db, url); };
  access.make_log = [](std::shared_ptr<storage::ObjectStore> store, std::string root) {
    delta::TableLog log;
    log.store = std::move(store);
    log.root = std::move(root);
    log.checkpoint_io = ParquetCheckpointIo();
    return log;
  };
  return access;
}

}  // namespace weir::engine
