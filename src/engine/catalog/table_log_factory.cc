// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/table_log_factory.h"

#include <utility>

#include "engine/checkpoint/parquet_checkpoint_io.h"

namespace weir::engine {

Warehouse::LogFactory MakeTableLogFactory(duckdb::DatabaseInstance&) {
  return [](std::shared_ptr<storage::ObjectStore> store, std::string root) {
    delta::TableLog log;
    log.store = std::move(store);
    log.root = std::move(root);
    log.checkpoint_io = ParquetCheckpointIo();
    return log;
  };
}

}  // namespace weir::engine
