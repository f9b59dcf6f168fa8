// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "duckdb/common/column_index.hpp"
#include "duckdb/common/multi_file/multi_file_data.hpp"
#include "duckdb/planner/table_filter.hpp"

namespace weir::engine {

/// The scan's filters in a form that stays right in a file with other (narrower) types than the
/// table's. DuckDB casts a filter's constants to the file's type, which is exact between integers
/// only: a filter on a DOUBLE whose file holds FLOAT, on a TIMESTAMP over DATE or on a rescaled
/// DECIMAL is marked here so that it is evaluated on the converted values. Run-time Bloom filters,
/// which know the table's type alone, are dropped where integers were widened. `columns` were
/// resolved for the file (ResolveColumn), `local` are the file's. Null: nothing to change.
duckdb::unique_ptr<duckdb::TableFilterSet> FiltersForFile(
    const duckdb::TableFilterSet& filters, const duckdb::vector<duckdb::ColumnIndex>& scanned,
    const duckdb::vector<duckdb::MultiFileColumnDefinition>& columns,
    const duckdb::vector<duckdb::MultiFileColumnDefinition>& local);

}  // namespace weir::engine
