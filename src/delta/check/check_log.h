// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "delta/check/finding.h"
#include "delta/snapshot/table_log.h"

namespace weir::delta {

/// Checks what lies in `_delta_log`, by a replay of its own from the oldest version that can be
/// built: versions are dense, commits can be read and keep the rules of commit_rules.h;
/// checkpoints, compactions and .crc files say what the replay says; `_last_checkpoint` names a
/// checkpoint that is there. A version that cannot be replayed is reported, and the replay goes on
/// at the next checkpoint. Errors: kNotFound DELTA_TABLE_NOT_FOUND where there is no log at all;
/// kIo of the store. What is wrong with the log is never an error.
Status CheckLog(const TableLog& log, Findings& findings);

}  // namespace weir::delta
