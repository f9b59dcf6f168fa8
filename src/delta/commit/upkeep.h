// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "delta/snapshot/snapshot.h"

namespace weir::delta {

/// What a writer does behind its commit for those who come later: the .crc of the version,
/// manifests and metadata of Iceberg where the table's properties ask for them, a checkpoint when
/// delta.checkpointInterval (10) is due, and the clean-up of expired logs behind that. The table is
/// good without any of it, so nothing here fails the commit. `base` is null behind the first
/// commit.
void RunUpkeep(const TableLog& log, const SnapshotPtr& base, int64_t version,
               const std::string& txn_id);

/// Whether a checkpoint is due at a version.
bool IsCheckpointDue(const Metadata& metadata, int64_t version);

}  // namespace weir::delta
