// SPDX-License-Identifier: Apache-2.0
//
// A snapshot is the table at one version: the reconciliation of everything in the log up to it
// (protocol section "Action Reconciliation"). It is built from the newest usable checkpoint and the
// commits behind it, and brought forward by the new commits alone. `_last_checkpoint` is a hint
// that may be missing, stale or wrong; a checkpoint that cannot be read is passed over for an older
// one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/schema/types.h"
#include "delta/snapshot/file_list.h"
#include "delta/snapshot/table_log.h"

namespace weir::delta {

class Snapshot;
/// Snapshots are immutable and shared between threads, statements and transactions.
using SnapshotPtr = std::shared_ptr<const Snapshot>;

/// Which version is wanted; at most one is set. Neither means the latest.
struct TimeTravel {
  std::optional<int64_t> version;
  /// The last version whose (in-commit or monotonised file) timestamp is at or before this instant.
  std::optional<int64_t> timestamp_ms;
};

class Snapshot {
 public:
  /// Loads a version.
  /// Errors: kNotFound DELTA_TABLE_NOT_FOUND (no log at all), DELTA_VERSION_NOT_FOUND /
  /// DELTA_TIMESTAMP_GREATER_THAN_COMMIT / DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION with the
  /// range there is; kCorruptLog DELTA_VERSIONS_NOT_CONTIGUOUS, DELTA_LOG_FILE_MALFORMED,
  /// DELTA_STATE_RECOVER_ERROR (no protocol or metadata); kUnsupportedFeature
  /// DELTA_UNSUPPORTED_FEATURES_FOR_READ names the features.
  static Result<SnapshotPtr> Load(const TableLog& log, const TimeTravel& at = {});

  virtual ~Snapshot() = default;

  /// The latest version, from this one and the commits behind it; this very snapshot when there is
  /// nothing new. Errors as Load.
  virtual Result<SnapshotPtr> Update() const = 0;

  virtual const TableLog& log() const = 0;
  virtual int64_t version() const = 0;
  /// In-commit timestamp where the table has them, else the (monotonised) modification time of the
  /// commit file.
  virtual int64_t timestamp_ms() const = 0;
  virtual const Protocol& protocol() const = 0;
  virtual const Metadata& metadata() const = 0;
  /// Metadata's schema string, parsed once; a struct.
  virtual const TypePtr& schema() const = 0;
  virtual const FileList& files() const = 0;
  /// The remove actions that the log still holds, without statistics and tags, for VACUUM and
  /// checkpoints; expired ones may be among them or not. Those of the checkpoint are read when this
  /// is called, as reading data never needs them. Errors: kNotFound, kCorruptLog, kIo of a
  /// checkpoint that cannot be read (any more).
  virtual Result<std::shared_ptr<const std::vector<RemoveFile>>> Tombstones() const = 0;
  virtual const std::map<std::string, SetTransaction>& transactions() const = 0;
  /// Live domains only.
  virtual const std::map<std::string, DomainMetadata>& domains() const = 0;

  /// The commitInfo of the commit at version(), where it was read on the way; else nullptr.
  virtual const CommitInfo* commit_info() const = 0;
  /// What a user should hear about this log though it could be read: a .crc that contradicts the
  /// state, a checkpoint that had to be passed over. The log's actions are the truth, so these do
  /// not fail a load.
  virtual const std::vector<std::string>& warnings() const = 0;

  /// A table property, or nullptr.
  const std::string* FindProperty(const std::string& key) const {
    auto it = metadata().configuration.find(key);
    return it == metadata().configuration.end() ? nullptr : &it->second;
  }
};

/// One entry of a table's history.
struct CommitSummary {
  int64_t version = 0;
  int64_t timestamp_ms = 0;
  CommitInfo info;
};

/// The commits that the log still holds, newest first, at most `limit` (0: all).
/// Errors as Snapshot::Load.
Result<std::vector<CommitSummary>> ReadHistory(const TableLog& log, int64_t limit);

struct CommitTimestamp {
  int64_t version = 0;
  int64_t timestamp_ms = 0;
};

/// Version and timestamp of the commits first..last (inclusive) that the log holds, ascending:
/// in-commit timestamps where the table has them, else the modification times made strictly
/// ascending over the whole log. Errors as Snapshot::Load.
Result<std::vector<CommitTimestamp>> ReadCommitTimestamps(const TableLog& log, int64_t first,
                                                          int64_t last);

/// The actions of commit `version` in their order. Errors: kNotFound DELTA_VERSION_NOT_FOUND;
/// kCorruptLog.
Result<std::vector<Action>> ReadCommit(const TableLog& log, int64_t version);

/// The version at a timestamp, by the rules of TimeTravel::timestamp_ms.
Result<int64_t> ResolveTimestamp(const TableLog& log, int64_t timestamp_ms);

}  // namespace weir::delta
