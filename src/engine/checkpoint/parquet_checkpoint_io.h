// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "delta/checkpoint/checkpoint_io.h"

namespace weir::engine {

/// Parquet checkpoints by DuckDB's reader and writer. All files go through the ObjectStore of the
/// call, so every store (and every injected fault) is honoured alike. The work runs in an instance
/// of DuckDB of its own, shared by the process and made at the first use: no setting, memory limit
/// or transaction of the user's database can touch it. Thread-safe.
std::shared_ptr<delta::CheckpointIo> ParquetCheckpointIo();

}  // namespace weir::engine
