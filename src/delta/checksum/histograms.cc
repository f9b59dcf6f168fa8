// SPDX-License-Identifier: Apache-2.0
#include "delta/checksum/histograms.h"

#include <algorithm>

#include "base/arithmetic.h"

namespace weir::delta {
namespace {

// Spark's: doubling from 8 KiB to 4 MiB, then runs of equal steps up to 4 GiB, then doubling again.
std::vector<int64_t> BinStarts() {
  constexpr int64_t kKiB = 1024;
  constexpr int64_t kMiB = 1024 * kKiB;
  constexpr int64_t kGiB = 1024 * kMiB;
  struct Run {
    int64_t step;
    int64_t end;
  };
  std::vector<int64_t> starts = {0};
  for (int64_t start = 8 * kKiB; start < 4 * kMiB; start *= 2) starts.push_back(start);
  constexpr Run kRuns[] = {{4 * kMiB, 40 * kMiB},    {8 * kMiB, 120 * kMiB},
                           {4 * kMiB, 144 * kMiB},   {16 * kMiB, 576 * kMiB},
                           {64 * kMiB, 1408 * kMiB}, {128 * kMiB, 2 * kGiB},
                           {256 * kMiB, 4 * kGiB}};
  int64_t start = 4 * kMiB;
  for (const Run& run : kRuns) {
    for (; start < run.end; start += run.step) starts.push_back(start);
  }
  for (; start <= 256 * kGiB; start *= 2) starts.push_back(start);
  return starts;
}

constexpr size_t kDeletedBins = 10;

size_t DeletedBin(int64_t records) {
  if (records <= 0) return 0;
  if (records >= INT32_MAX) return kDeletedBins - 1;
  size_t bin = 1;
  for (int64_t bound = 10; records >= bound && bin < kDeletedBins - 2; bound *= 10) ++bin;
  return bin;
}

}  // namespace

FileSizeHistogram CountFileSizes(const FileList& files) {
  FileSizeHistogram histogram;
  histogram.bin_starts = BinStarts();
  histogram.file_counts.resize(histogram.bin_starts.size());
  histogram.total_bytes.resize(histogram.bin_starts.size());
  for (size_t i = 0; i < files.size(); ++i) {
    int64_t size = std::max<int64_t>(files.file_size(i), 0);
    auto after = std::upper_bound(histogram.bin_starts.begin(), histogram.bin_starts.end(), size);
    auto bin = static_cast<size_t>(after - histogram.bin_starts.begin()) - 1;
    ++histogram.file_counts[bin];
    histogram.total_bytes[bin] = SaturatingAdd(histogram.total_bytes[bin], size);
  }
  return histogram;
}

DeletedRecords CountDeletedRecords(const FileList& files) {
  DeletedRecords deleted;
  deleted.file_counts.resize(kDeletedBins);
  for (size_t i = 0; i < files.size(); ++i) {
    int64_t records = 0;
    if (files.has_deletion_vector(i)) {
      records = files.deletion_vector(i)->cardinality;
      ++deleted.vectors;
      deleted.records = SaturatingAdd(deleted.records, records);
    }
    ++deleted.file_counts[DeletedBin(records)];
  }
  return deleted;
}

}  // namespace weir::delta
