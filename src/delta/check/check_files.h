// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "delta/check/finding.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

/// Checks what the newest snapshot says of its files, as far as their places, sizes and deletion
/// vectors tell: rules `file-present`, `file-size`, `deletion-vector`, `partition-values`,
/// `row-id-ranges`. Files are looked up by several threads. Errors: kIo of the store.
Status CheckFiles(const Snapshot& snapshot, Findings& findings);

}  // namespace weir::delta
