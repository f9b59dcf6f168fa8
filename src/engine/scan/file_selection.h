// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "duckdb/main/client_context.hpp"
#include "duckdb/planner/expression.hpp"

#include "delta/statistics/predicate.h"
#include "engine/scan/predicates.h"
#include "engine/scan/scan_files.h"

namespace weir::engine {

/// The places of the files that may hold a row for which `condition` is true. Statistics are read
/// only where partition values do not decide; when they cannot be read, files are kept.
std::vector<uint32_t> SelectByCondition(const ScanFiles& files,
                                        const delta::PredicatePtr& condition);

/// Takes from `places` the files for whose partition values `filter` is not true. `filter` is any
/// bound expression; one that looks at other columns too, or is volatile, or fails, takes nothing
/// away. `column_of` says which table column (place in the schema) a column reference means, -1 for
/// none.
void SelectByPartitions(duckdb::ClientContext& context, const ScanFiles& files,
                        const duckdb::Expression& filter,
                        const std::function<int(const duckdb::Expression&)>& column_of,
                        std::vector<uint32_t>& places);

struct RowCount {
  uint64_t rows = 0;
  bool exact = false;  ///< Every file says how many rows it has.
};

/// Rows in the files by their statistics, less those deleted; guessed from the size for a file
/// without statistics. With `cheap`, the whole count is guessed where reading the statistics would
/// cost much.
RowCount CountRows(const ScanFiles& files, bool cheap);

}  // namespace weir::engine
