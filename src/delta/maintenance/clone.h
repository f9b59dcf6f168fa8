// SPDX-License-Identifier: Apache-2.0
//
// CLONE makes one table of another at one of its versions. A shallow clone names the source's files
// by their full paths and copies nothing; VACUUM of the source, which knows nothing of its clones,
// may take files away from it. A deep clone has copies of its own. History is not copied: the clone
// begins with a version of its own, and what the source's files are told apart by (row ids, column
// mapping, deletion vectors) stays as it is.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "delta/snapshot/snapshot.h"

namespace weir::delta {

/// What is cloned: a version of a table, or a Parquet folder that was looked through.
struct CloneSource {
  std::string name;  ///< For the history: "delta.`/a/b`".
  std::string root;
  std::shared_ptr<storage::ObjectStore> store;  ///< Where the files are read.
  int64_t version = 0;
  Protocol protocol;
  Metadata metadata;
  std::vector<DomainMetadata> domains;
  std::vector<AddFile> files;  ///< With statistics.

  /// Errors: those of FileList::LoadStats.
  static Result<CloneSource> Of(const Snapshot& snapshot);
};

struct CloneOptions {
  bool shallow = false;
  /// Set in the clone, beside those of the source.
  StringMap properties;
};

struct CloneResult {
  /// operationMetrics, by Spark's names: sourceTableSize, sourceNumOfFiles, numRemovedFiles,
  /// numCopiedFiles, removedFilesSize, copiedFilesSize.
  std::map<std::string, int64_t> metrics;
  int64_t version = 0;
};

/// Makes the clone at `target`, or with `existing`, the table's newest snapshot, as its next
/// version. A deep clone over an older one copies only the files that are new. After a failure the
/// copies are deleted, unless the commit's outcome is unknown. Errors: kInvalidArgument
/// DELTA_UNSUPPORTED_CLONE_REPLACE_SAME_TABLE; kNotFound for a file of the source that is gone;
/// those of Transaction::Commit (kAlreadyExists DELTA_TABLE_ALREADY_EXISTS without `existing`).
Result<CloneResult> Clone(const CloneSource& source, const TableLog& target,
                          const SnapshotPtr& existing, const CloneOptions& options);

}  // namespace weir::delta
