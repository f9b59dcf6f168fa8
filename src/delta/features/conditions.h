// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "delta/actions/actions.h"
#include "delta/schema/types.h"

namespace weir::delta {

// What makes use of a feature: a table property or something in the schema. A property whose value
// is no boolean is not true here; ParseTableProperties is where it is refused.

bool HasAppendOnly(const Metadata& metadata, const DataType& schema);
/// `delta.invariants` or NOT NULL on a column or a member of a struct.
bool HasInvariants(const Metadata& metadata, const DataType& schema);
bool HasCheckConstraints(const Metadata& metadata, const DataType& schema);
/// Also by its old property, `delta.enableChangeDataCapture`.
bool HasChangeDataFeed(const Metadata& metadata, const DataType& schema);
bool HasGeneratedColumns(const Metadata& metadata, const DataType& schema);
bool HasColumnMapping(const Metadata& metadata, const DataType& schema);
bool HasIdentityColumns(const Metadata& metadata, const DataType& schema);
bool HasColumnDefaults(const Metadata& metadata, const DataType& schema);
bool HasRowTracking(const Metadata& metadata, const DataType& schema);
bool HasInCommitTimestamps(const Metadata& metadata, const DataType& schema);
bool HasIcebergCompatV1(const Metadata& metadata, const DataType& schema);
bool HasIcebergCompatV2(const Metadata& metadata, const DataType& schema);
bool HasIcebergCompatV3(const Metadata& metadata, const DataType& schema);
bool HasIcebergWriterCompatV1(const Metadata& metadata, const DataType& schema);
bool HasMaterializedPartitionColumns(const Metadata& metadata, const DataType& schema);
bool HasCommitCoordinator(const Metadata& metadata, const DataType& schema);
/// New vectors may be written. Old ones are honoured wherever the feature is supported.
bool HasDeletionVectors(const Metadata& metadata, const DataType& schema);
bool HasTimestampNtz(const Metadata& metadata, const DataType& schema);
bool HasV2Checkpoints(const Metadata& metadata, const DataType& schema);
bool HasTypeWidening(const Metadata& metadata, const DataType& schema);
bool HasVariant(const Metadata& metadata, const DataType& schema);
bool HasVariantShredding(const Metadata& metadata, const DataType& schema);

}  // namespace weir::delta
