// SPDX-License-Identifier: Apache-2.0
//
// The rows of a source table, read once, with their hashes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "feed/config/feed_project.h"
#include "feed/load/sql.h"

namespace weir::feed {

/// What the rows of a table are for this run. The staged rows lie in a table of the engine's own
/// memory (which spills to disk), so every session of the process sees them.
struct Stage {
  std::string table;            ///< SQL name: the business columns, then KeyHash and RowHash.
  std::vector<Column> columns;  ///< The business columns, of types that every reader knows.
  int64_t rows = 0;
  /// DELTAIMAGE: SQL text of the boundary; empty when there is none.
  std::string boundary;
};

/// Reads the source. Its columns are turned into types that Parquet readers and Delta know (see
/// PortableType). `load_type` is that of this run.
///
/// Errors: kNotFound WEIR_FEED_SOURCE_MISSING; those of SourceDatabase; kInvalidArgument
/// WEIR_FEED_SOURCE_INVALID (the query or reader says why), WEIR_FEED_COLUMN_MISSING (a key,
/// tracked or delta column), WEIR_FEED_RESERVED_COLUMN, WEIR_FEED_DUPLICATE_COLUMN;
/// kConstraintViolated WEIR_FEED_NULL_KEY and WEIR_FEED_DUPLICATE_KEY, with columns, values and
/// counts.
Result<Stage> StageRows(engine::Session& session, const UsedTable& table, LoadType load_type);

/// Forgets the rows.
void DropStage(engine::Session& session, const Stage& stage);

}  // namespace weir::feed
