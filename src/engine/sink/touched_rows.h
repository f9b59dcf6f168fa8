// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>

#include "duckdb/common/types/vector.hpp"

#include "delta/deletion_vectors/row_bitmap.h"

namespace weir::engine {

/// What happens to the rows of one file. The two sets are disjoint.
struct FileChanges {
  delta::RowBitmap deleted;
  delta::RowBitmap updated;

  uint64_t count() const { return deleted.cardinality() + updated.cardinality(); }
};

/// Which target rows a statement deletes and updates. Each thread collects its own and hands them
/// over at its end.
class TouchedRows {
 public:
  /// What one thread has found. Not thread-safe.
  class Local {
   public:
    /// `files` and `rows` are the position columns of `count` input rows, none NULL.
    /// Throws as Combine, when the same row comes twice.
    void Add(duckdb::Vector& files, duckdb::Vector& rows, size_t count, bool is_delete,
             bool may_delete_twice);

   private:
    friend class TouchedRows;
    std::unordered_map<uint64_t, FileChanges> files_;
  };

  /// Throws DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE when a row was changed twice and
  /// not only deleted twice under `may_delete_twice`. Thread-safe.
  void Combine(const Local& local, bool may_delete_twice);

  /// By file number. Only after the last Combine.
  const std::map<uint64_t, FileChanges>& files() const { return files_; }

 private:
  std::mutex mutex_;
  std::map<uint64_t, FileChanges> files_;
};

}  // namespace weir::engine
