// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "delta/statistics/statistics_columns.h"
#include "delta/values/value.h"

namespace weir::delta {

/// What is known of one column in one file, always on the safe side: a value outside [low, high]
/// cannot occur, a NULL (a value) cannot occur when may_be_null (may_have_value) is false.
struct ColumnFacts {
  std::optional<Value> low;
  std::optional<Value> high;
  bool may_be_null = true;
  bool may_have_value = true;
  /// How many NULLs the statistics count, where they count sensibly; rows that are marked deleted
  /// count too.
  std::optional<int64_t> null_count;
};

/// A column whose statistics are wanted.
struct WantedColumn {
  ColumnPath physical_path;
  TypePtr type;
  /// The type was FLOAT once: bounds of old files were printed from floats.
  bool was_float = false;
};

/// Reads the facts of a few columns out of statistics in JSON. Members that are not wanted are
/// skipped unparsed. Keeps its buffers between calls: one per thread.
class StatisticsReader {
 public:
  explicit StatisticsReader(std::vector<WantedColumn> columns);
  ~StatisticsReader();

  /// Fills `facts` (one per wanted column). Broken or missing statistics give facts that say
  /// nothing. Returns whether the file has no rows at all.
  bool Read(std::string_view stats, std::vector<ColumnFacts>& facts);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// The exact facts of a partition column; `text` as in the log, nullopt for NULL.
ColumnFacts PartitionFacts(const DataType& type, std::optional<std::string_view> text);

}  // namespace weir::delta
