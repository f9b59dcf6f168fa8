// SPDX-License-Identifier: Apache-2.0
//
// Statistics of a data file, gathered from the rows themselves while they are written. The Parquet
// writer's own are no base: they drop long strings, leave NaN out of the bounds and know no nested
// counts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "duckdb/common/types/data_chunk.hpp"

#include "delta/schema/types.h"
#include "delta/statistics/file_statistics.h"
#include "delta/statistics/statistics_columns.h"

namespace weir::engine {

/// Which statistics a field of the data files gets; a tree like the schema.
struct StatisticsField {
  delta::ColumnPath path;  ///< Physical names from the top.
  delta::TypePtr type;
  bool wanted = false;                    ///< Of a leaf; a struct's fields say so themselves.
  std::vector<StatisticsField> children;  ///< Of a struct.

  /// Whether this field or one below it is wanted.
  bool any_wanted() const;

  /// The tree of one top-level column, of which `columns` are wanted.
  static StatisticsField Of(const delta::StructField& column,
                            const std::vector<delta::StatisticsColumn>& columns);
};

/// Gathers over one field of the rows of one file. Not thread-safe: one per thread, merged at the
/// end.
class FieldCollector {
 public:
  /// `field` must outlive the collector.
  static std::unique_ptr<FieldCollector> Create(const StatisticsField& field);
  virtual ~FieldCollector() = default;

  /// Takes `count` values. `parent_valid` marks the rows whose enclosing struct is not NULL; a
  /// field of a NULL struct counts as NULL.
  virtual void Update(duckdb::Vector& values, size_t count,
                      const duckdb::ValidityMask& parent_valid) = 0;
  /// Takes over what `other`, a collector of the same field, has found.
  virtual void Merge(const FieldCollector& other) = 0;
  /// Puts what was found into `statistics`. Bounds are exact and untruncated; -0.0 is below 0.0.
  virtual void Finish(delta::DataFileStatistics& statistics) const = 0;
};

/// The collectors of all data columns of one file.
class StatisticsCollector {
 public:
  /// `fields` must outlive the collector.
  explicit StatisticsCollector(const std::vector<StatisticsField>& fields);

  /// The first columns of `rows` are those of the fields; further ones are ignored.
  void Update(duckdb::DataChunk& rows);
  void Merge(const StatisticsCollector& other);
  int64_t rows() const { return rows_; }
  delta::DataFileStatistics Finish() const;

 private:
  std::vector<std::unique_ptr<FieldCollector>> collectors_;  ///< Null where nothing is wanted.
  int64_t rows_ = 0;
};

}  // namespace weir::engine
