// SPDX-License-Identifier: Apache-2.0
//
// Which columns of a table get statistics (table properties delta.dataSkippingStatsColumns and
// delta.dataSkippingNumIndexedCols).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/schema/types.h"

namespace weir::delta {

/// The names from the top of the schema down to a field, e.g. {"a", "b"} for a.b.
using ColumnPath = std::vector<std::string>;

/// One column with statistics. Arrays, maps and variants count as leaves; fields inside an array or
/// a map have none.
struct StatisticsColumn {
  ColumnPath path;           ///< Logical names.
  ColumnPath physical_path;  ///< The names used inside `stats` and in data files.
  TypePtr type;

  /// Numbers, strings, dates and timestamps have bounds; every other column has a null count alone.
  bool has_bounds() const;
};

/// Whether min and max are kept for columns of a type.
bool TypeHasBounds(TypeKind kind);

/// The columns that a writer must keep statistics for, in schema order: those below the names in
/// delta.dataSkippingStatsColumns, else the first delta.dataSkippingNumIndexedCols leaves (32; -1:
/// all). Partition columns never have any. Errors: kInvalidArgument
/// DELTA_INVALID_DATA_SKIPPING_PROPERTY for a property that cannot be read. A listed name that the
/// schema does not have is passed over (a dropped column may stay in the property).
Result<std::vector<StatisticsColumn>> StatisticsColumns(const DataType& schema,
                                                        const Metadata& metadata);

}  // namespace weir::delta
