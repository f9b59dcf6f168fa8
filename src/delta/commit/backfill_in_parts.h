// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

/// At most so many files are added again in one commit to get row ids.
inline constexpr size_t kFilesPerBackfill = 10'000;

/// Gives row ids to the files of a table that is about to track rows, in commits of
/// kFilesPerBackfill files, until no more than that many lack them; first the table gets
/// `protocol`, so that writers who come meanwhile give ids to theirs. Returns the snapshot behind
/// the last of these commits.
/// Errors: those of commits; kConflictFinal DELTA_METADATA_CHANGED or DELTA_PROTOCOL_CHANGED when
/// somebody else has changed those meanwhile. What is committed by then stays, and is harmless.
Result<SnapshotPtr> BackfillInParts(SnapshotPtr base, const Protocol& protocol);

}  // namespace weir::delta
