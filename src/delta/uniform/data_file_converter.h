// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "delta/snapshot/snapshot.h"
#include "delta/statistics/column_facts.h"
#include "iceberg/manifest.h"

namespace weir::delta {

/// Makes Iceberg's data files of a snapshot's add actions: partition values typed, statistics as
/// counts and bounds by field id. One per thread.
class DataFileConverter {
 public:
  explicit DataFileConverter(const Snapshot& snapshot);

  /// Errors: kUnsupportedFeature DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED for a file without
  /// numRecords, which Iceberg demands, or with a deletion vector; kCorruptLog for a path or a
  /// partition value that cannot be read.
  Result<iceberg::DataFile> Convert(const AddFile& add);

 private:
  struct Column {
    int field_id = 0;
    WantedColumn wanted;
  };

  static void AddColumns(const DataType& type, const Metadata& metadata, const ColumnPath& path,
                         std::vector<Column>& columns);
  static std::vector<Column> ColumnsOf(const Snapshot& snapshot);
  static std::vector<WantedColumn> Wanted(const std::vector<Column>& columns);

  Status ConvertPartition(const AddFile& add, iceberg::DataFile& file) const;
  void ConvertStatistics(const std::string& stats, iceberg::DataFile& file);

  std::string root_;
  TypePtr schema_;
  std::vector<const StructField*> partition_fields_;  ///< Of schema_.
  std::vector<Column> columns_;
  StatisticsReader statistics_;
  std::vector<ColumnFacts> facts_;  ///< Of the file at hand.
};

}  // namespace weir::delta
