// SPDX-License-Identifier: Apache-2.0
//
// Iceberg compatibility (protocol sections "Iceberg Compatibility V1", "V2" and, proposed, "V3"):
// tables whose data files an Iceberg reader could read as they are. What they must and must not
// have is here; what their files look like is the column mapping's (nested ids) and the writer's
// (partition columns in the files).
#pragma once

#include <cstdint>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/schema/types.h"

namespace weir::delta {

/// Whether delta.enableIcebergCompatV1, ...V2 or ...V3 is true.
bool IsIcebergCompatEnabled(const Metadata& metadata);

/// Whether the columns of carried row ids and commit versions have Iceberg's ids in files (V3).
bool HasIcebergRowIds(const Metadata& metadata);
inline constexpr int32_t kIcebergRowIdField = 2147483540;
inline constexpr int32_t kIcebergRowCommitVersionField = 2147483539;

/// Whether lists and maps need field ids of their own (V2 and V3).
bool NeedsNestedFieldIds(const Metadata& metadata);

/// Whether "iceberg" is among delta.universalFormat.enabledFormats (UniForm): commits are followed
/// by metadata of Iceberg.
bool IsUniformEnabled(const Metadata& metadata);

/// Sets what Iceberg compatibility brings along: a new table (`current` is null) gets
/// delta.columnMapping.mode = name, where nothing else is said; any table with V3 is made to track
/// rows; a table that loses compatibility loses UniForm with it. Errors: kInvalidArgument
/// DELTA_UNIVERSAL_FORMAT_VIOLATION for UniForm on a table without compatibility;
/// kUnsupportedFeature WEIR_UNIFORM_FOR_ICEBERG_COMPAT_V3 where UniForm and V3 come together.
Status CompleteIcebergCompat(Metadata& metadata, const Metadata* current);

/// Whether the table, with `protocol` and `metadata` (whose schema is `schema`), may be compatible.
/// `current` is its metadata so far, or null for a new table. Success when it is not to be
/// compatible. Errors: kInvalidArgument DELTA_ICEBERG_COMPAT_VIOLATION.*:
/// VERSION_MUTUAL_EXCLUSIVE, WRONG_REQUIRED_TABLE_PROPERTY (no column mapping),
/// DELETION_VECTORS_SHOULD_BE_DISABLED, UNSUPPORTED_DATA_TYPE,
/// REPLACE_TABLE_CHANGE_PARTITION_NAMES, UNSUPPORTED_TYPE_WIDENING; kUnsupportedFeature
/// WEIR_ICEBERG_COMPAT_V3_CANNOT_BE_DISABLED, WEIR_ICEBERG_COMPAT_V3_AFTER_ROW_TRACKING.
Status CheckIcebergCompat(const Protocol& protocol, const Metadata& metadata,
                          const DataType& schema, const Metadata* current);

}  // namespace weir::delta
