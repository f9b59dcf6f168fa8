// SPDX-License-Identifier: Apache-2.0
//
// A change feed as a scan sees it: a table of files, each with the version and time of its commit
// as partition values, so that conditions on them choose files as those on any partition column do.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "delta/changes/change_plan.h"
#include "engine/catalog/table_state.h"

namespace weir::engine {

constexpr const char* kChangeTypeName = "_change_type";
constexpr const char* kCommitVersionName = "_commit_version";
constexpr const char* kCommitTimestampName = "_commit_timestamp";

/// What a scan of changes knows of its files beyond their actions. Immutable.
struct ChangeFeed {
  struct File {
    int64_t version = 0;
    delta::ChangeKind kind = delta::ChangeKind::kInsert;
    /// Where only some of the file's rows are changes: those, less the rows of the action's own
    /// deletion vector.
    std::optional<delta::DeletionVectorDescriptor> rows_in;
  };

  delta::ChangeRange range;
  /// The place of `_change_type` in the schema.
  size_t change_type_column = 0;
  std::vector<File> files;  ///< By ScanFiles::number.
};
using ChangeFeedPtr = std::shared_ptr<const ChangeFeed>;

/// `_change_type` of all rows of a file; nullptr for change data, whose rows say it themselves.
const char* ChangeTypeOf(delta::ChangeKind kind);

struct ChangeTable {
  /// The files of the range in the order of their commits, deletes before inserts, under the plan's
  /// schema with the three columns behind it.
  TableStatePtr state;
  ChangeFeedPtr feed;
};

/// The table of a planned feed; `latest` is the snapshot it was planned for. Errors:
/// kInvalidArgument RESERVED_CDC_COLUMNS_ON_WRITE when the table has a column with one of the three
/// names.
Result<ChangeTable> MakeChangeTable(const delta::Snapshot& latest, delta::ChangePlan plan);

/// Errors: kNotFound DELTA_CHANGE_DATA_FILE_NOT_FOUND for the first of the files at `numbers` that
/// is not there any more, kCorruptLog FAILED_READ_FILE for one whose last bytes are not those of a
/// Parquet file; kIo of the store.
Status CheckFilesExist(const TableState& state, const ChangeFeed& feed,
                       const std::vector<uint32_t>& numbers);

/// DELTA_CHANGE_DATA_FILE_NOT_FOUND for a file of `version`.
Error ChangeFileNotFound(const std::string& table, int64_t version, const std::string& path);

}  // namespace weir::engine
