// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "delta/actions/actions.h"

namespace weir::delta {

/// The live data files of a snapshot, held compactly (hundreds of thousands must be affordable):
/// texts share arenas, statistics stay unparsed until asked for. Immutable after the snapshot was
/// built and then safe to read from many threads. Views live as long as the list.
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
  /// The statistics as JSON text, empty when the file has none.
  virtual std::string_view stats(size_t i) const = 0;
  virtual bool has_deletion_vector(size_t i) const = 0;
  /// The whole action, materialised.
  virtual AddFile Get(size_t i) const = 0;

  /// Sum of file_size.
  virtual int64_t total_size() const = 0;
};

}  // namespace weir::delta
