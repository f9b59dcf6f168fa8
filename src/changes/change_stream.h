// SPDX-License-Identifier: Apache-2.0
//
// The changes of a table as a stream: batches of commits, in their order, for as long as the table
// lives. Looking for new commits costs one question to the store; a batch costs the commits that
// are in it. Commits are whole, but for large ones that only add rows, and for the rows that a
// stream begins with: those come in parts, file after file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "changes/feed_source.h"
#include "delta/changes/offset_store.h"
#include "delta/snapshot/table_log.h"
#include "engine/session.h"

namespace weir::changes {

using delta::Offset;

/// Where a stream begins that has no offset yet.
struct StreamStart {
  enum class Kind {
    kSnapshot,  ///< The rows of the newest version as inserts, then what changes after it.
    kEarliest,  ///< The oldest version that the log still holds.
    kLatest,    ///< What changes after the newest version.
    kBound,     ///< A version or a timestamp.
  };
  Kind kind = Kind::kSnapshot;
  std::string bound;  ///< SQL, see BoundSql.
};

struct StreamOptions {
  FeedTable table;
  StreamStart start;
  FeedReading reading;
  /// A batch ends before the commit (of a commit in parts: the file) with which it would read more;
  /// it has at least one.
  int64_t max_files = 1000;
  int64_t max_bytes = int64_t{1} << 30;
  /// Rows of change data files are counted before a batch is chosen, where this is set. Of a commit
  /// in parts a file whose rows the log does not tell is a batch of its own.
  std::optional<int64_t> max_rows;
};

/// The versions first..last, or the table's rows at version `last` as inserts; of one version
/// perhaps a part.
struct StreamBatch {
  bool is_snapshot = false;
  int64_t first = 0;
  int64_t last = 0;
  int64_t files = 0;
  int64_t first_file = 0;    ///< The files of the version that came before.
  bool ends_version = true;  ///< False when files of the last version are still to come.

  bool is_part() const { return first_file > 0 || !ends_version; }
  /// Where a stream goes on that has had this batch.
  Offset Next(const std::string& table_id) const {
    if (ends_version) return {table_id, last + 1};
    return {table_id, last, first_file + files, is_snapshot};
  }

  FeedRange range;  ///< The arguments of the table_changes call that gives the rows.
  std::string options;
  /// The query for the rows: the table's columns, `_change_type`, `_commit_version`,
  /// `_commit_timestamp`; in the order of the commits.
  std::string sql;
};

/// Pulls batches. Not thread-safe; must not outlive the session.
class ChangeStream {
 public:
  /// Begins at `resume`, where the consumer has one, else as the options say. Errors: those of the
  /// statements, e.g. DELTA_TABLE_NOT_FOUND; kInvalidArgument
  /// DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE for an offset of another table,
  /// DELTA_CDC_START_VERSION_AFTER_LATEST for one that the table has not come to.
  static Result<ChangeStream> Open(engine::Session& session, StreamOptions options,
                                   const std::optional<Offset>& resume);

  /// The next batch with changes, or nullopt when there is nothing new. Commits without changes are
  /// passed over; what cannot be read is an error only when all before it was given out. Errors: as
  /// table_changes; DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE when the table was made anew;
  /// kInvalidArgument DELTA_SCHEMA_CHANGED_WITH_VERSION when the batch's columns are
  /// others than those of the batches before: a new stream reads on from the same offset.
  Result<std::optional<StreamBatch>> Poll();

  /// What is to be saved when all batches that Poll gave are delivered.
  const Offset& offset() const { return offset_; }

 private:
  ChangeStream(engine::Session& session, StreamOptions options)
      : session_(&session), options_(std::move(options)) {}
  Result<std::string> QueryText(const std::string& sql);
  Status Begin();
  Status ResumeAt(const Offset& resume);
  Result<int64_t> LatestVersion();
  Result<std::string> TableId();
  Status CheckTable(const std::string& id, const std::string& expected) const;
  Result<bool> MayHaveMore();
  Result<std::optional<StreamBatch>> NextBatch();
  Result<StreamBatch> NextCommits(int64_t next);
  Result<StreamBatch> PlanCommits(int64_t next, int64_t count);
  Result<StreamBatch> PlanPart();
  bool Fits(int64_t files, int64_t bytes, int64_t rows) const;
  Status CheckColumns(const StreamBatch& batch);

  engine::Session* session_;
  StreamOptions options_;
  delta::TableLog log_;
  Offset offset_;
  // Polls since all that there was had been read; negative before that.
  int64_t idle_polls_ = -1;
  std::vector<engine::ColumnInfo> columns_;
};

/// The log of a table, for reading. Errors: those of weir_detail.
Result<delta::TableLog> OpenLog(engine::Session& session, const FeedTable& table);

/// The oldest version whose changes the log still holds. Lists the log once.
Result<int64_t> EarliestVersion(const delta::TableLog& log);

}  // namespace weir::changes
