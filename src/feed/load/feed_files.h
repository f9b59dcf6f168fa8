// SPDX-License-Identifier: Apache-2.0
//
// The files of the feed:
// lake/<Source>/<Schema>/<Table>/Year=yyyy/Month=mm/<Table>-g<Generation>-<RunId>.parquet
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/session.h"
#include "feed/config/feed_project.h"
#include "feed/index/compare.h"

namespace weir::feed {

/// The folder of a table's feed, below LakeLocation.
std::string FeedFolder(const FeedProject& project, const UsedTable& table);

/// Where a run's file lies. `etl_date` in microseconds, UTC.
std::string FeedFile(const FeedProject& project, const UsedTable& table, int64_t generation,
                     const std::string& run_id, int64_t etl_date);

/// A glob over the files of one generation, or of all for 0.
std::string FeedGlob(const FeedProject& project, const UsedTable& table, int64_t generation);

/// Whether FeedGlob of all generations has this path.
bool IsFeedFile(const FeedProject& project, const UsedTable& table, std::string_view path);

/// The files that are there, sorted.
Result<std::vector<std::string>> FeedFiles(engine::Session& session, const FeedProject& project,
                                           const UsedTable& table, int64_t generation = 0);

/// Writes the file whole or not at all, in place of one of the same name.
Status WriteFeedFile(engine::Session& session, const std::string& path, const Stage& stage,
                     const Mutations& mutations, int64_t etl_date);

/// Deletes a file; one that is not there is no error.
Status DeleteFeedFile(const std::string& path);

}  // namespace weir::feed
