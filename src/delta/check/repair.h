// SPDX-License-Identifier: Apache-2.0
//
// What can be mended without losing a row. Each sets Finding::repaired where it has worked.
#pragma once

#include "base/result.h"
#include "delta/check/finding.h"
#include "delta/snapshot/table_log.h"

namespace weir::delta {

/// Mends the log: checkpoints and .crc files are written anew from what stands below them,
/// compactions that are wrong are deleted, `_last_checkpoint` points at a checkpoint of the newest
/// version, metadata of Iceberg shows it. What cannot be built is left as it is, unrepaired.
/// Errors: kUnsupportedFeature for a table that this build cannot write; those of the store.
Status RepairLog(const TableLog& log, Findings& findings);

/// Removes the references to files that are gone, in one commit of the operation FSCK. Nothing is
/// done without findings of kMissingFile. Errors: as Transaction::Commit.
Status RemoveMissingFiles(const TableLog& log, Findings& findings);

}  // namespace weir::delta
