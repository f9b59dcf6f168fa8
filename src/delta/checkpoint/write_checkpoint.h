// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

/// Writes a checkpoint of the snapshot's version and points `_last_checkpoint` at it (protocol
/// section "Checkpoints"). Without the v2Checkpoint feature, or with
/// `delta.checkpointPolicy=classic`, it is one classic file; with policy `v2` it is a UUID-named
/// Parquet file with sidecars. Statistics go in as JSON and as a struct by
/// `delta.checkpoint.writeStatsAsJson` and `...writeStatsAsStruct` (both true by default, as Spark
/// has it). Expired tombstones (`delta.deletedFileRetentionDuration`) and removed domains are left
/// out.
///
/// Every file is put whole, the one that readers look for last, so a crash in between leaves at
/// most unreferenced sidecars. `_last_checkpoint` is never turned back to an older version. Errors:
/// kIo, kStateUnknown of the store; kCorruptLog when statistics or tombstones of the checkpoint
/// below cannot be read any more; kInternal without a CheckpointIo.
Status WriteCheckpoint(const Snapshot& snapshot);

}  // namespace weir::delta
