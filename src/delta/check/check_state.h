// SPDX-License-Identifier: Apache-2.0
//
// Checks of what the log says of a version besides its commits: checkpoints, .crc files,
// compactions, `_last_checkpoint`.
#pragma once

#include "base/error.h"
#include "delta/check/finding.h"
#include "delta/check/table_replay.h"
#include "delta/snapshot/log_listing.h"

namespace weir::delta {

void ReportUnreadableCheckpoint(const CheckpointFiles& checkpoint, const Error& error,
                                Findings& findings);

/// Rules `checkpoint`, `checksum`: the file says what the replay of its version says.
void CompareCheckpoint(const TableLog& log, const CheckpointFiles& checkpoint,
                       const TableReplay& replay, Findings& findings);
void CompareChecksum(const TableLog& log, const DeltaFile& checksum, const TableReplay& replay,
                     Findings& findings);

/// Rule `compaction`: each compaction whose commits are all there is their reconciliation.
void CheckCompactions(const TableLog& log, const LogListing& listing, Findings& findings);

/// Rule `last-checkpoint`: the hint, where there is one, can be read and names a checkpoint that is
/// there.
void CheckLastCheckpoint(const TableLog& log, const LogListing& listing, Findings& findings);

}  // namespace weir::delta
