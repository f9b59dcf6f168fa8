// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"

namespace weir::delta {

/// Statistics of the files of a list, by the list's index. Immutable, safe for many threads; keeps
/// alive what it needs.
class FileStatistics {
 public:
  virtual ~FileStatistics() = default;
  /// JSON text in the log's form, empty when the file has none. The view lives as long as this
  /// object.
  virtual std::string_view json(size_t i) const = 0;
};

/// The live data files of a snapshot, held compactly (hundreds of thousands must be affordable): by
/// columns, texts in shared arenas, statistics unparsed and, when they come from a large
/// checkpoint, not even read before they are asked for. Immutable and safe to read from many
/// threads. Views live as long as the list. The order is the log's: the checkpoint's files first,
/// then by commit.
class FileList {
 public:
  virtual ~FileList() = default;

  virtual size_t size() const = 0;
  /// The path as in the log (percent-encoded).
  virtual std::string_view path(size_t i) const = 0;
  virtual int64_t file_size(size_t i) const = 0;
  virtual int64_t modification_time(size_t i) const = 0;
  /// Value of the i-th file for the k-th partition column (order of Metadata::partition_columns);
  /// nullopt is NULL.
  virtual std::optional<std::string_view> partition_value(size_t i, size_t k) const = 0;
  virtual bool has_deletion_vector(size_t i) const = 0;
  virtual std::optional<DeletionVectorDescriptor> deletion_vector(size_t i) const = 0;
  virtual std::optional<int64_t> base_row_id(size_t i) const = 0;
  virtual std::optional<int64_t> default_row_commit_version(size_t i) const = 0;
  /// The action without its statistics, materialised: cheap for a few files that were picked.
  virtual AddFile GetWithoutStats(size_t i) const = 0;

  /// Sum of file_size.
  virtual int64_t total_size() const = 0;

  /// The statistics with at least `columns` (top-level, physical names) and numRecords in each
  /// text: what a filter needs, at a small part of the price of all of them. Not kept by the list.
  /// Errors: kNotFound, kCorruptLog, kIo of a checkpoint that cannot be read (any more); a scan may
  /// go on without skipping then.
  virtual Result<std::shared_ptr<const FileStatistics>> ReadStatistics(
      const std::vector<std::string>& columns) const = 0;

  /// Makes all statistics present, once; stats() and Get() are complete after it succeeded. Writers
  /// that must not lose statistics call it first. Errors as ReadStatistics.
  virtual Status LoadStats() const = 0;
  /// The statistics as JSON text, empty when the file has none; loads them all if need be, and is
  /// empty when that fails.
  virtual std::string_view stats(size_t i) const = 0;
  /// The whole action, materialised, with statistics as stats() gives them.
  virtual AddFile Get(size_t i) const = 0;
};

}  // namespace weir::delta
