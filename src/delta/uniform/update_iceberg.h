// SPDX-License-Identifier: Apache-2.0
//
// UniForm: a table whose delta.universalFormat.enabledFormats names iceberg has metadata of Iceberg
// beside its log, over the same data files. Readers of Iceberg see it as it was after the newest
// commit that was converted.
#pragma once

#include "base/result.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

/// Behind a commit: writes metadata that shows the table as `snapshot` has it, from the newest
/// metadata that is there and the commits since, or, where that does not do, from all files. Does
/// nothing for tables without UniForm, and where a later version has been converted already. What
/// fails leaves the former metadata as it was; the next commit makes up for it. Errors:
/// kUnsupportedFeature DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED; kCorruptLog
/// WEIR_ICEBERG_METADATA_MALFORMED where the folder has metadata of an Iceberg table that is not
/// this one; those of the log and of the store.
Status UpdateIcebergMetadata(const Snapshot& snapshot);

/// As UpdateIcebergMetadata, but from all files, whatever is there of this version already.
Status RewriteIcebergMetadata(const Snapshot& snapshot);

}  // namespace weir::delta
