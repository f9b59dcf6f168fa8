// SPDX-License-Identifier: Apache-2.0
//
// The write-ahead note of one table's last run. It makes index, history and feed file one unit: a
// run notes what it starts from before it writes, so whoever comes next can take everything back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "feed/config/feed_project.h"

namespace weir::feed {

enum class RunStatus {
  kNone,     ///< No run, or one that was taken back, or the index was reset since.
  kStarted,  ///< A run is writing, or was stopped in the middle.
  kDone,
};

struct RunState {
  /// The version of a table that was not there.
  static constexpr int64_t kAbsent = -1;

  RunStatus status = RunStatus::kNone;
  std::string run_id;
  int64_t etl_date = 0;               ///< Microseconds; rises from run to run, also over kNone.
  std::optional<LoadType> load_type;  ///< Of the last run that was done.
  std::optional<LoadType> previous_load_type;  ///< Of the one before it.
  std::optional<std::string> keys;             ///< Names, a line each; nullopt in older notes.
  std::optional<std::string> previous_keys;
  std::string file;                   ///< The feed file that the run writes, if it does.
  int64_t index_version = kAbsent;    ///< Of the index before the run.
  int64_t history_version = kAbsent;  ///< Of the history table before the run.
};

/// Reads the note of a table; one with kNone when there is none. Errors: kCorruptLog
/// WEIR_FEED_STATE_CORRUPT; those of the store.
Result<RunState> ReadRunState(const FeedProject& project, const UsedTable& table);

/// Replaces the note, whole or not at all.
Status WriteRunState(const FeedProject& project, const UsedTable& table, const RunState& state);

}  // namespace weir::feed
