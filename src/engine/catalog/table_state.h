// SPDX-License-Identifier: Apache-2.0
//
// What one statement sees of one table: a snapshot and, over it, the actions that this transaction
// has added and not yet committed. Immutable, so that a scan in flight never sees a later
// statement's work.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/schema/types.h"
#include "delta/snapshot/snapshot.h"

namespace weir::engine {

class TableState;
using TableStatePtr = std::shared_ptr<const TableState>;

/// Thread-safe: nothing changes after it was made.
class TableState {
 public:
  /// The committed state alone.
  static TableStatePtr Of(delta::SnapshotPtr snapshot);

  /// `base` (null for a table that is being created) with `actions` applied in their order: an add
  /// replaces the file of the same path, a remove takes it away, protocol and metadata replace.
  /// Errors: kCorruptLog when `actions` create a table without protocol, metadata or a readable
  /// schema.
  static Result<TableStatePtr> Over(delta::SnapshotPtr base, const delta::TableLog& log,
                                    const std::vector<delta::Action>& actions);

  /// Files that are no version of the table, as those of a change feed; a path may occur more than
  /// once. Has no snapshot.
  static TableStatePtr OfFiles(const delta::TableLog& log, delta::Protocol protocol,
                               delta::Metadata metadata, delta::TypePtr schema,
                               std::vector<delta::AddFile> files);

  const delta::TableLog& log() const { return log_; }
  /// Null for a table that this transaction creates, and for OfFiles.
  const delta::SnapshotPtr& snapshot() const { return snapshot_; }
  /// The version of the snapshot; -1 without one.
  int64_t version() const { return snapshot_ ? snapshot_->version() : -1; }
  const delta::Protocol& protocol() const { return protocol_; }
  const delta::Metadata& metadata() const { return metadata_; }
  const delta::TypePtr& schema() const { return schema_; }

  /// Uncommitted files, in the order of their actions.
  const std::vector<delta::AddFile>& added() const { return added_; }
  /// Log paths of snapshot files that this transaction has removed or replaced.
  const std::unordered_set<std::string>& hidden() const { return hidden_; }

  /// A table property, or nullptr.
  const std::string* FindProperty(const std::string& key) const;

 private:
  TableState() = default;
  void Apply(const delta::Action& action, std::unordered_map<std::string, size_t>& places);

  delta::TableLog log_;
  delta::SnapshotPtr snapshot_;
  delta::Protocol protocol_;
  delta::Metadata metadata_;
  delta::TypePtr schema_;
  std::vector<delta::AddFile> added_;
  std::unordered_set<std::string> hidden_;
};

}  // namespace weir::engine
