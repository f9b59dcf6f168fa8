// SPDX-License-Identifier: Apache-2.0
//
// Compaction rewrites data files without changing a row: small files of a partition become large
// ones, and rows that deletion vectors hide are left out. Row ids and row commit versions are
// carried along. The commit says dataChange=false, so change feeds and streams pass over it, and it
// conflicts only with writers that removed one of the very files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "delta/actions/actions.h"
#include "engine/catalog/resolve_table.h"
#include "engine/maintenance/ordered_rows.h"

namespace weir::engine {

/// Files to be rewritten together; all of one partition.
struct CompactionBin {
  std::vector<delta::AddFile> files;
  int64_t size = 0;
};

struct CompactionResult {
  int64_t files_added = 0;
  int64_t files_removed = 0;
  int64_t bytes_added = 0;
  int64_t bytes_removed = 0;
  int64_t vectors_removed = 0;
  int64_t version = -1;  ///< -1: there was nothing to do, and nothing was committed.
};

/// Which live files take part: all when empty.
using FileFilter = std::function<bool(const delta::AddFile&)>;

/// Which part of the file's rows its deletion vector hides; 1 when the file does not say how many
/// it has.
double DeletedRatio(const delta::AddFile& file);

/// Deleted rows are worth a rewrite when they are more than one in twenty, as in Spark.
constexpr double kMaxDeletedRatio = 0.05;

/// Packs the files below the table's target size, and those of which more than `max_deleted_ratio`
/// of the rows are deleted, into bins of at most that size. A bin of one file is kept only when it
/// has rows to drop. Errors: as FileList::LoadStats.
Result<std::vector<CompactionBin>> PlanCompaction(const TableState& state, int64_t target_size,
                                                  double max_deleted_ratio,
                                                  const FileFilter& filter);

/// What the new files have besides rows in some order.
struct CompactionLayout {
  std::optional<RowOrder> order;  ///< Unset: the old files' rows one after the other.
  std::optional<std::string> clustering_provider;
  /// Of the files of one bin; called once for each.
  std::function<delta::StringMap()> tags;
};

/// Rewrites the bins, on all threads, and commits. `table` must have an entry. After a failure the
/// new files are deleted, unless the commit's outcome is unknown. Errors: those of
/// delta::Transaction; kIo; whatever reading the files meets.
Result<CompactionResult> Compact(duckdb::ClientContext& context, const ResolvedTable& table,
                                 const std::vector<CompactionBin>& bins,
                                 const std::string& operation, JsonValue parameters,
                                 const CompactionLayout& layout = {});

/// Writes all files anew as a table of metadata `target` has them (other physical names, today's
/// types) and commits that with `target`. The rows stay what they are. A writer that commits
/// meanwhile is a conflict. Errors: as Compact.
Result<CompactionResult> RewriteTable(duckdb::ClientContext& context, const ResolvedTable& table,
                                      const delta::Metadata& target, const std::string& operation);

/// The filter for a WHERE over partition columns, in DuckDB SQL.
/// Errors: kInvalidArgument DELTA_UNSUPPORTED_PARTITION_PREDICATE for a condition that cannot be
/// evaluated on partition columns alone.
Result<FileFilter> PartitionFilter(duckdb::ClientContext& context, const TableState& state,
                                   const std::string& condition);

}  // namespace weir::engine
