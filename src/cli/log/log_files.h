// SPDX-License-Identifier: Apache-2.0
//
// A table's log as it lies in the store. Nothing is reconciled and nothing refused: what cannot be
// understood is shown as it is, since this is for looking at logs that something is wrong with.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/output/row_list.h"
#include "storage/object_store.h"

namespace weir::cli {

/// One line of a commit, or a part of another file: an action as parsed JSON, or, when it is no
/// JSON object, the text.
struct LogLine {
  JsonValue action;
  std::string text;
  bool is_object = false;
};

class LogFiles {
 public:
  /// Opens the log of the table at `location` (a path or URL). Errors: kNotFound
  /// DELTA_TABLE_NOT_FOUND when there is no file in its `_delta_log`; those of the store.
  static Result<LogFiles> Open(const std::string& location);

  /// A row for each version that any file speaks of, newest first: what its commit did, and which
  /// files there are of it.
  Result<std::unique_ptr<RowList>> Overview() const;

  /// The lines of commit `version`. Errors: kNotFound DELTA_VERSION_NOT_FOUND with the versions
  /// that there are.
  Result<std::vector<LogLine>> Commit(int64_t version) const;

  /// What any one file of the table holds: the actions of a commit, checkpoint, sidecar or
  /// compaction, the object in a `.crc` or `_last_checkpoint`, the vectors of a deletion vector
  /// file, the footer of a Parquet file. `file` is its bare name in the log, its path below the
  /// table, or any path. Errors: kNotFound WEIR_OBJECT_NOT_FOUND; kCorruptLog
  /// DELTA_CHECKPOINT_UNREADABLE, DELTA_DELETION_VECTOR_MALFORMED; those of the engine for a footer
  /// that cannot be read.
  Result<std::vector<LogLine>> File(const std::string& file) const;

  storage::ObjectStore& store() const { return *store_; }
  const std::string& root() const { return root_; }

 private:
  Result<std::string> Locate(const std::string& file) const;
  Result<std::vector<LogLine>> Checkpoint(const std::string& path) const;

  std::shared_ptr<storage::ObjectStore> store_;
  std::string root_;
  std::string log_dir_;
  std::vector<storage::ObjectInfo> files_;
};

}  // namespace weir::cli
