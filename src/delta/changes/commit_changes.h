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

/// The changes of one version.
struct CommitChanges {
  int64_t version = 0;
  int64_t timestamp_ms = 0;
  std::optional<std::string> operation;  ///< As its commitInfo says.
  std::vector<ChangeFile> files;
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

/// Every live row as an insert: what a feed that begins without a start sees first.
std::vector<ChangeFile> SnapshotAsInserts(const FileList& files);

}  // namespace weir::delta
