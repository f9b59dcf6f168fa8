// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "delta/snapshot/file_list.h"
#include "delta/snapshot/file_replay.h"

namespace weir::delta {

/// A FileList over shared segments.
class SegmentedFileList final : public FileList,
                                public std::enable_shared_from_this<SegmentedFileList> {
 public:
  /// `partition_columns` are the physical names, in the table's order.
  SegmentedFileList(std::vector<FilePart> parts, const std::vector<std::string>& partition_columns);

  const std::vector<FilePart>& parts() const { return parts_; }

  size_t size() const override { return size_; }
  std::string_view path(size_t i) const override;
  int64_t file_size(size_t i) const override;
  int64_t modification_time(size_t i) const override;
  std::optional<std::string_view> partition_value(size_t i, size_t k) const override;
  bool has_deletion_vector(size_t i) const override;
  std::optional<DeletionVectorDescriptor> deletion_vector(size_t i) const override;
  std::optional<int64_t> base_row_id(size_t i) const override;
  std::optional<int64_t> default_row_commit_version(size_t i) const override;
  AddFile GetWithoutStats(size_t i) const override;
  int64_t total_size() const override { return total_size_; }
  Result<std::shared_ptr<const FileStatistics>> ReadStatistics(
      const std::vector<std::string>& columns) const override;
  Status LoadStats() const override;
  std::string_view stats(size_t i) const override;
  AddFile Get(size_t i) const override;

  struct Position {
    size_t part = 0;
    uint32_t row = 0;
  };
  Position Locate(size_t i) const;

 private:
  const FileSegment& Segment(const Position& at) const { return *parts_[at.part].segment; }

  std::vector<FilePart> parts_;
  std::vector<size_t> starts_;  // of each part
  std::vector<std::vector<int>>
      columns_;  // of each part: its own number of the k-th partition column
  size_t size_ = 0;
  int64_t total_size_ = 0;
};

}  // namespace weir::delta
