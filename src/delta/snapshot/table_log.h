// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "storage/object_store.h"

namespace weir::delta {

class CheckpointIo;

/// Where a table lives and by what means its log is read and written. Cheap to copy; thread-safe as
/// far as its parts are.
struct TableLog {
  std::shared_ptr<storage::ObjectStore> store;
  std::string root;  ///< The table's folder, normalised (storage::NormalizeLocation).
  /// Reads and writes Parquet checkpoints; engine/ implements it. Null in tests without Parquet:
  /// then a Parquet checkpoint is kInternal when it must be read.
  std::shared_ptr<CheckpointIo> checkpoint_io;
  const Clock* clock = &Clock::System();

  std::string log_dir() const { return storage::JoinPath(root, "_delta_log"); }
};

}  // namespace weir::delta
