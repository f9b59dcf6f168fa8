// SPDX-License-Identifier: Apache-2.0
//
// The typed parts of a checkpoint's schema (protocol section "Checkpoint Schema").
#pragma once

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/schema/types.h"

namespace weir::delta {

/// The struct of `add.stats_parsed` for a table: numRecords, minValues, maxValues, nullCount and,
/// where deletion vectors may come, tightBounds, over the columns that have statistics, by physical
/// names and with their real types. Errors: as StatisticsColumns.
Result<TypePtr> StatsParsedSchema(const DataType& schema, const Metadata& metadata,
                                  const Protocol& protocol);

/// The struct of `add.partitionValues_parsed`; null for a table without partitions.
TypePtr PartitionValuesSchema(const DataType& schema, const Metadata& metadata);

}  // namespace weir::delta
