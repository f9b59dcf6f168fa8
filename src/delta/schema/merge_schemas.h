// SPDX-License-Identifier: Apache-2.0
//
// Schema evolution: a table's schema extended by what rows to be written have beyond it.
#pragma once

#include "base/result.h"
#include "delta/schema/types.h"

namespace weir::delta {

/// `table`, a struct, with the fields of `source` that it lacks, at every level, appended as
/// nullable ones; fields are the same when their names are (ASCII case-insensitive), and keep the
/// table's spelling. With `may_widen` a primitive type becomes the source's where
/// IsTypeChangeSupported (type_widening.h) says that it may; all other types stay the table's.
/// Errors: kInvalidArgument DELTA_FAILED_TO_MERGE_FIELDS where one has a nested type and the other
/// has not the same kind of type; DELTA_DUPLICATE_COLUMNS_FOUND for a source with a name twice.
Result<TypePtr> MergeSchemas(const DataType& table, const DataType& source, bool may_widen);

}  // namespace weir::delta
