// SPDX-License-Identifier: Apache-2.0
//
// The tables of schema LoadManagement, for monitoring: LoadRun, one row a table and run;
// LakeFeedGeneration; ReadObjectLog, what went wrong with the read objects.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "feed/config/feed_project.h"
#include "feed/index/compare.h"

namespace weir::feed {

constexpr const char* kLogSchema = "LoadManagement";
constexpr const char* kGenerationTable = "LakeFeedGeneration";
constexpr const char* kRunTable = "LoadRun";
constexpr const char* kReadObjectTable = "ReadObjectLog";

/// What a run did to one table.
struct TableReport {
  const UsedTable* table = nullptr;
  LoadType load_type = LoadType::kImage;
  int64_t started = 0;  ///< Microseconds.
  int64_t rows_read = 0;
  MutationCounts counts;
  int64_t unchanged = 0;
  int64_t generation = 0;  ///< 0 without a feed.
  std::string file;        ///< Empty when none was written.
  double seconds = 0;
  std::optional<Error> error;
};

/// Makes the schemas of the feed and the log tables where they are missing.
Status MakeLogTables(engine::Session& session, const FeedProject& project);

/// Whether the log tables are there.
Result<bool> HasLogTables(engine::Session& session);

/// Appends a row to LoadRun for each report.
Status LogRun(engine::Session& session, const std::string& run_id,
              const std::vector<TableReport>& reports);

/// Appends a row to ReadObjectLog. `status` is failed or skipped.
Status LogReadObjects(engine::Session& session, const std::string& run_id, const UsedTable& table,
                      std::string_view status, const std::string& message);

/// Now, in microseconds.
int64_t NowMicros();

}  // namespace weir::feed
