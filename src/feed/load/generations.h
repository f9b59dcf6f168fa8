// SPDX-License-Identifier: Apache-2.0
//
// LoadManagement.LakeFeedGeneration: the schemas that a table's feed has had. The generation rises
// when a column comes, goes or changes its type; the order of columns does not matter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "feed/config/feed_project.h"
#include "feed/load/sql.h"

namespace weir::feed {

struct Generation {
  int64_t number = 0;
  std::vector<Column> columns;
};

/// All generations of a table, the oldest first. The log tables must exist. Errors: kCorruptLog
/// WEIR_FEED_GENERATION_CORRUPT.
Result<std::vector<Generation>> ReadGenerations(engine::Session& session, const UsedTable& table);

/// The newest generation when it has these columns, else a new one, which is noted.
Result<Generation> GenerationOf(engine::Session& session, const UsedTable& table,
                                const std::vector<Column>& columns, const std::string& run_id,
                                int64_t etl_date);

}  // namespace weir::feed
