// SPDX-License-Identifier: Apache-2.0
//
// The `stats` of a new data file (protocol section "Per-file Statistics"), written as Spark writes
// them, so that every reader draws the same conclusions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/statistics/statistics_columns.h"
#include "delta/values/value.h"

namespace weir::delta {

/// What the Parquet writer knows of one leaf column of one file. What it does not know stays unset,
/// and nothing is claimed about it.
struct ColumnStatistics {
  /// Bounds over the values that are neither NULL nor NaN; unset when there are none or when they
  /// are unknown.
  std::optional<Value> min;
  std::optional<Value> max;
  /// Whether a NaN is among the values; footers leave NaN out of min and max. Unset: unknown, then
  /// no upper bound is written for a float or double.
  std::optional<bool> has_nan = false;
  std::optional<int64_t> null_count;
};

struct DataFileStatistics {
  int64_t num_records = 0;
  /// Written when set. Spark sets it (to true, for a new file) when the table supports deletion
  /// vectors.
  std::optional<bool> tight_bounds;
  /// By physical path.
  std::map<ColumnPath, ColumnStatistics> columns;
};

/// The JSON text for AddFile::stats: numRecords, minValues, maxValues, nullCount[, tightBounds],
/// nested like the schema, for `columns` alone, in their order. Strings are cut to 32 UTF-16 units
/// (the maximum raised so that it stays above), timestamps to milliseconds, NaN and infinities are
/// strings, decimals bare digits.
std::string BuildStatistics(const std::vector<StatisticsColumn>& columns,
                            const DataFileStatistics& statistics);

/// A lower bound of `value`: its beginning. Valid UTF-8 when `value` is.
std::string TruncateMinimum(std::string_view value);
/// An upper bound of `value` in byte order: the beginning with a greatest character behind it,
/// longer where the value has greatest characters itself; nullopt when no short bound exists or the
/// text is no UTF-8.
std::optional<std::string> TruncateMaximum(std::string_view value);

/// The same statistics with tightBounds=false, for a file that gets a deletion vector: rows may be
/// gone, the bounds still hold. Errors: kCorruptLog DELTA_STATISTICS_MALFORMED; kInvalidArgument
/// DELTA_ADDING_DELETION_VECTORS_WITHOUT_NUM_RECORDS when there is no numRecords, which a vector
/// demands.
Result<std::string> WidenBounds(std::string_view stats);

/// numRecords alone; nullopt when the text has none (or is no JSON).
std::optional<int64_t> ReadNumRecords(std::string_view stats);

}  // namespace weir::delta
