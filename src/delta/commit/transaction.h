// SPDX-License-Identifier: Apache-2.0
//
// A transaction turns a list of actions into the next version of a table. It is optimistic: it
// reads one snapshot, remembers what it has read, and writes `version + 1` by put-if-absent. When
// another writer was first, the winner's commits are compared with what was read and written
// (Delta's conflict rules); without a contradiction the transaction rebases (row ids, in-commit
// timestamp) and tries the next version. A lost reply is settled by reading the version back and
// looking for our transaction id.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

enum class IsolationLevel {
  kSerializable,       ///< Delta's default: appends of others into what was read conflict.
  kWriteSerializable,  ///< Blind appends of others count as if they came later.
  kSnapshotIsolation,  ///< For commits that change no data (OPTIMIZE).
};

/// What a transaction has read of its snapshot.
struct ReadSet {
  bool whole_table = false;
  /// Each answers: would this file, had it been there, have been read? Called on the committing
  /// thread.
  std::vector<std::function<bool(const AddFile&)>> predicates;
  /// Log paths of the files whose rows were read.
  std::set<std::string> files;
  /// Application ids whose SetTransaction was looked up.
  std::set<std::string> app_ids;
};

struct CommitResult {
  int64_t version = 0;
  int64_t timestamp_ms = 0;
  int attempts = 1;
};

/// One commit in the making. Not thread-safe; one use: after Commit() it is spent.
class Transaction {
 public:
  /// On an existing table. Errors: kUnsupportedFeature DELTA_UNSUPPORTED_FEATURES_FOR_WRITE names
  /// the features that this build cannot write.
  static Result<std::unique_ptr<Transaction>> Begin(SnapshotPtr base);
  /// Creates a table: version 0 must not exist. The actions must hold Protocol and Metadata.
  static Result<std::unique_ptr<Transaction>> BeginCreate(TableLog log);

  virtual ~Transaction() = default;

  /// The base, or null when the table is being created.
  virtual const SnapshotPtr& base() const = 0;
  /// This transaction's id, in commitInfo.txnId.
  virtual const std::string& id() const = 0;

  virtual ReadSet& reads() = 0;
  virtual void SetIsolationLevel(IsolationLevel level) = 0;  ///< Default: by the table property.

  /// Adds an action to the commit. An AddFile needs neither row ids nor commit versions: those are
  /// assigned here when the table tracks rows. Protocol and Metadata replace the table's. The
  /// RemoveFile of a file that was added here cancels that add.
  virtual void Add(Action action) = 0;
  virtual const std::vector<Action>& actions() const = 0;

  /// Name and parameters for commitInfo in Spark's terms: "WRITE", {"mode":"Append",...}. Parameter
  /// values are strings (JSON text for lists), as Spark writes them.
  virtual void SetOperation(std::string name, JsonValue parameters) = 0;
  /// operationMetrics with Spark's names; values are written as strings.
  virtual void SetMetrics(std::map<std::string, int64_t> metrics) = 0;
  /// Extra members for commitInfo, e.g. tags.
  virtual void SetCommitInfo(std::string key, JsonValue value) = 0;

  /// Writes the commit. Afterwards, as upkeep that never fails the commit, writes a checkpoint when
  /// the interval is due and the .crc.
  /// Errors: kConflictFinal DELTA_CONCURRENT_APPEND, DELTA_CONCURRENT_DELETE_READ,
  /// DELTA_CONCURRENT_DELETE_DELETE, DELTA_METADATA_CHANGED, DELTA_PROTOCOL_CHANGED,
  /// DELTA_CONCURRENT_TRANSACTION, each naming the winning version and operation,
  /// WEIR_SNAPSHOT_TOO_OLD (the commits behind the base are cleaned up); kInvalidArgument for
  /// actions that contradict each other or the table (see validate_commit.h); kConflictRetryable
  /// DELTA_MAX_COMMIT_RETRIES_EXCEEDED; kStateUnknown WEIR_COMMIT_STATE_UNKNOWN (do not delete
  /// files); kAlreadyExists DELTA_TABLE_ALREADY_EXISTS for BeginCreate; kConstraintViolated
  /// DELTA_CANNOT_MODIFY_APPEND_ONLY; kIo. In every case but kStateUnknown nothing is visible.
  virtual Result<CommitResult> Commit() = 0;
};

}  // namespace weir::delta
