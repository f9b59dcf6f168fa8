// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "delta/snapshot/file_list.h"

namespace weir::delta {

/// Files and bytes by file size (protocol section "File Size Histogram Schema"), in the bins Spark
/// uses.
struct FileSizeHistogram {
  std::vector<int64_t> bin_starts;
  std::vector<int64_t> file_counts;
  std::vector<int64_t> total_bytes;
};
FileSizeHistogram CountFileSizes(const FileList& files);

/// What deletion vectors take out of a table.
struct DeletedRecords {
  int64_t vectors = 0;
  int64_t records = 0;
  /// Files by deleted records: 0, 1-9, 10-99, ... (protocol section "Deleted Record Counts
  /// Histogram Schema").
  std::vector<int64_t> file_counts;
};
DeletedRecords CountDeletedRecords(const FileList& files);

}  // namespace weir::delta
