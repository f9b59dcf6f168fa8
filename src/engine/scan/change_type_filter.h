// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "duckdb/main/client_context.hpp"
#include "duckdb/planner/expression.hpp"

#include "engine/scan/change_feed.h"
#include "engine/scan/scan_files.h"

namespace weir::engine {

/// Takes from `places` the files of a feed none of whose rows has a `_change_type` for which
/// `filter` is true: all rows of an added file are inserts, all of a removed one deletes, those of
/// a change data file may be any. A filter that looks at other columns too, or is volatile, or
/// fails, takes nothing away. `column_of` as for SelectByPartitions.
void SelectByChangeType(duckdb::ClientContext& context, const ScanFiles& files,
                        const ChangeFeed& feed, const duckdb::Expression& filter,
                        const std::function<int(const duckdb::Expression&)>& column_of,
                        std::vector<uint32_t>& places);

}  // namespace weir::engine
