// SPDX-License-Identifier: Apache-2.0
//
// Manifests in the form that Hive calls symlink text: lists of a table's data files, one for each
// partition, in the folder `_symlink_format_manifest`. Engines that know nothing of a log read
// Parquet by them. They are written file by file, so that a reader may meet the lists of two
// versions.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

/// The folder's name below the table's.
inline constexpr const char* kSymlinkManifestFolder = "_symlink_format_manifest";

/// Whether lists of the files say what the table holds. Errors: kUnsupportedFeature
/// DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING,
/// DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS.
Status CheckListsSuffice(const Snapshot& snapshot);

/// Writes the manifests of all partitions and deletes those of partitions that are no more. Returns
/// how many there are now. Errors: as CheckListsSuffice; those of the store.
Result<int64_t> WriteSymlinkManifests(const Snapshot& snapshot);

/// Behind a commit of a table with delta.compatibility.symlinkFormatManifest.enabled: brings the
/// manifests of the partitions that `snapshot`'s own commit has touched up to date, and goes on
/// with versions that others commit meanwhile. Does nothing for other tables. Errors: as above.
Status UpdateSymlinkManifests(SnapshotPtr snapshot);

}  // namespace weir::delta
