// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "changes/feed_source.h"
#include "cli/output/output.h"
#include "engine/session.h"

namespace weir::cli {

struct FollowOptions {
  changes::FeedTable table;
  std::string from;  ///< As on the command line; empty: the table's rows first.
  std::string format;
  std::string output;  ///< The folder for parquet.
  /// The table that takes the changes; then there is no format.
  std::optional<changes::FeedTable> into;
  changes::FeedReading reading;
  std::vector<std::string> keys;
  std::string consumer;
  std::string offsets = ".weir/offsets";
  bool available_now = false;
  double poll_seconds = 1;
  int64_t max_files = 1000;
  int64_t max_bytes = int64_t{1} << 30;
  std::optional<int64_t> max_rows;
};

/// `weir changes --follow`: writes batch after batch until interrupted (or with available_now until
/// there is nothing new). A batch is flushed before its offset is saved, so that a consumer who is
/// killed gets a batch again and never misses one; Parquet files and tables have each change once.
Status Follow(const FollowOptions& options, engine::Session& session, Output& out);

}  // namespace weir::cli
