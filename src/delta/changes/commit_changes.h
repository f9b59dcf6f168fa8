// SPDX-License-Identifier: Apache-2.0
//
// What a change feed must read of one commit (protocol section "Add CDC File", readers): its change
// data files, or else its added, removed and re-marked data files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/snapshot/file_list.h"

namespace weir::delta {

enum class ChangeKind {
  kChangeData,  ///< Rows say themselves what they are, in the column `_change_type`.
  kInsert,
  kDelete,
};

/// A file, and which of its rows are changes: those in `rows_in` (unset: all) that are not in
/// `rows_not_in` (unset: none).
struct ChangeFile {
  ChangeKind kind = ChangeKind::kInsert;
  std::string path;  ///< As in the log.
  PartitionValues partition_values;
  int64_t size = 0;  ///< 0 where a remove action does not say.
  std::optional<DeletionVectorDescriptor> rows_in;
  std::optional<DeletionVectorDescriptor> rows_not_in;
  /// Of data files: bounds of the values in the changed rows (see AddFile::stats), where known.
  std::optional<std::string> stats;
  /// Of data files: where row ids come from.
  std::optional<int64_t> base_row_id;
  std::optional<int64_t> default_row_commit_version;

  bool operator==(const ChangeFile&) const = default;
};

/// What of a commit counts as its changes.
enum class ChangeSource {
  kFeed,     ///< The change data feed.
  kFiles,    ///< Every row of removed and added data files, also rows that were only copied: two
             ///< rows with one row id are the same row. Change data files do not count.
  kAppends,  ///< The rows of added data files, for a reader who only knows appends.
};

/// What a reader of appends does with a commit that takes rows away.
struct AppendPolicy {
  bool ignore_deletes = false;  ///< One that only takes rows away is passed over.
  /// Of one that takes rows away and adds some, the added files are given out, with all the rows
  /// that they hold; implies ignore_deletes.
  bool ignore_changes = false;
  bool skip_change_commits = false;  ///< Every such commit is passed over.

  bool operator==(const AppendPolicy&) const = default;
};

/// The changes of one version.
struct CommitChanges {
  int64_t version = 0;
  int64_t timestamp_ms = 0;
  std::optional<std::string> operation;  ///< As its commitInfo says.
  std::vector<ChangeFile> files;
  /// How many files the commit adds and removes that are not read for its changes: change data
  /// files stand for them, or their rows were only moved.
  int64_t skipped_files = 0;
};

/// Finds the files of a commit by these rules:
///  - with change data files, those and nothing else;
///  - else the rows of added files are inserts, those of removed files deletes, where dataChange is
///  true;
///  - a path that is removed and added again has changed its deletion vector: rows that the new one
///  alone
///    marks are deletes, rows that the old one alone marks are inserts;
///  - a MERGE whose metrics say that it changed no row has only moved rows.
/// Errors: kCorruptLog WEIR_FILE_ADDED_AGAIN for a path that is removed and added without any
/// vector, as nothing tells what changed.
Result<std::vector<ChangeFile>> FindChanges(const std::vector<Action>& commit, int64_t version);

/// Finds the files of a commit whose rows are changes by `source`: kFeed as FindChanges; kFiles as
/// FindChanges does without change data files; kAppends the added files, where dataChange is true.
/// Errors: those of FindChanges; for kAppends kInvalidArgument DELTA_SOURCE_IGNORE_DELETE or
/// DELTA_SOURCE_TABLE_IGNORE_CHANGES for a commit that takes rows away and that `policy` does not
/// allow.
Result<std::vector<ChangeFile>> FindChangesBy(ChangeSource source, const AppendPolicy& policy,
                                              const std::vector<Action>& commit, int64_t version);

/// Every live row as an insert: what a feed that begins without a start sees first. In the order of
/// the paths, which is the same whatever the list was made of; with numRecords where it is known.
std::vector<ChangeFile> SnapshotAsInserts(const FileList& files);

}  // namespace weir::delta
