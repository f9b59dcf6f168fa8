// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/features/features.h"
#include "delta/maintenance/drop_feature.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

/// Takes a droppable feature out of use: properties, files, columns' metadata, domains. `snapshot`
/// becomes the latest version. Whether that took a commit: then older versions have used the
/// feature. What can be done in the commit that lowers the protocol is left to that one. Errors: as
/// DropFeature.
Result<bool> RemoveTraces(Feature feature, SnapshotPtr& snapshot, FeatureRewriter& rewriter);

/// Whether the state still needs the feature, after RemoveTraces: another writer has used it.
bool HasTraces(Feature feature, const Snapshot& snapshot);

/// Removes from the metadata what belongs into the commit that lowers the protocol.
void RemoveLastProperties(Feature feature, Metadata& metadata);

/// The actions beside protocol and metadata that belong into that commit. Errors: those of reading
/// the files' statistics.
Result<std::vector<Action>> LastActions(Feature feature, const Snapshot& snapshot);

/// Whether the log still holds versions that need a reader feature. Reads every commit. Errors: as
/// Snapshot::Load.
Result<bool> HistoryUses(Feature feature, const Snapshot& snapshot);

}  // namespace weir::delta
