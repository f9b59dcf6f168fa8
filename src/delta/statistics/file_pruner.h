// SPDX-License-Identifier: Apache-2.0
//
// Data skipping: which files can hold a row for which a condition is true, by their partition
// values and statistics alone. Everything is judged so that a doubtful bound keeps the file:
// statistics may be missing, cut, widened by a deletion vector, or written by a program that leaves
// NaN out.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "delta/actions/actions.h"
#include "delta/schema/types.h"
#include "delta/snapshot/file_list.h"
#include "delta/statistics/predicate.h"

namespace weir::delta {

/// For how many of a file's live rows the condition is TRUE.
enum class FileMatch {
  kNever,  ///< None: the file need not be read.
  kMaybe,
  kAlways,  ///< All (there may be none): the condition need not be evaluated.
};

/// One condition, bound to a table. Statistics are parsed at each call, only when partition values
/// do not decide, and only the columns of the condition. Holds buffers: one pruner per thread;
/// moves freely.
class FilePruner {
 public:
  /// `schema` and `metadata` belong together; both are used during the call only.
  FilePruner(const DataType& schema, const Metadata& metadata, const PredicatePtr& predicate);
  ~FilePruner();
  FilePruner(FilePruner&&) noexcept;
  FilePruner& operator=(FilePruner&&) noexcept;

  /// The top-level physical names of the columns whose statistics the condition needs, for
  /// FileList::ReadStatistics; empty when partition values are all that matters.
  const std::vector<std::string>& statistics_columns() const;

  /// The i-th file of a snapshot of the same table. Without `statistics` (null) partition values
  /// alone are looked at.
  FileMatch Evaluate(const FileList& files, size_t i, const FileStatistics* statistics);
  /// An action with its partition values and statistics.
  FileMatch Evaluate(const AddFile& file);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The indexes of the files that may hold a matching row, ascending. Files that partition values
/// rule out cost no statistics; when statistics cannot be read, files are kept.
std::vector<size_t> SelectFiles(const FileList& files, FilePruner& pruner);

}  // namespace weir::delta
