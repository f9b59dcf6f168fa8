// SPDX-License-Identifier: Apache-2.0
//
// A run of add actions by columns: the unit that file lists share. A checkpoint makes one segment,
// a commit makes one; which of its rows are live is said by the list, never by the segment, so a
// segment is immutable once built.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "delta/actions/actions.h"
#include "delta/checkpoint/checkpoint_io.h"

namespace weir::delta {

/// Texts that never move. Not thread-safe while it grows.
class TextArena {
 public:
  /// A copy of `text` that lives as long as the arena.
  std::string_view Add(std::string_view text);

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  size_t used_ = 0;
  size_t capacity_ = 0;
};

/// Whether two paths of the log name the same file: equal after percent-decoding.
bool SamePath(std::string_view a, std::string_view b);
/// A hash that is equal for paths that SamePath.
uint64_t HashPath(std::string_view path);

/// The identity of a logical file: path and deletion vector.
struct FileKey {
  uint64_t path_hash = 0;
  std::string_view path;
  std::optional<DeletionVectorView> deletion_vector;

  bool SameVector(const FileKey& other) const;
};

class LazyStatistics;

class FileSegment {
 public:
  FileSegment() = default;
  FileSegment(const FileSegment&) = delete;
  FileSegment& operator=(const FileSegment&) = delete;

  size_t size() const { return paths_.size(); }
  std::string_view path(size_t row) const { return paths_[row]; }
  uint64_t path_hash(size_t row) const { return path_hashes_[row]; }
  const std::vector<uint64_t>& path_hashes() const { return path_hashes_; }
  int64_t file_size(size_t row) const { return sizes_[row]; }
  int64_t modification_time(size_t row) const { return modification_times_[row]; }
  std::optional<DeletionVectorView> deletion_vector(size_t row) const;
  bool has_deletion_vector(size_t row) const {
    return !vector_of_row_.empty() && vector_of_row_[row] != 0;
  }
  std::optional<int64_t> base_row_id(size_t row) const { return At(base_row_ids_, row); }
  std::optional<int64_t> default_row_commit_version(size_t row) const {
    return At(row_commit_versions_, row);
  }
  FileKey key(size_t row) const { return {path_hashes_[row], paths_[row], deletion_vector(row)}; }

  /// The segment's own number of a partition column, or -1 when no file names it.
  int FindPartitionColumn(std::string_view name) const;
  std::optional<std::string_view> partition_value(size_t row, int column) const;

  /// Everything but the statistics.
  AddFile Get(size_t row) const;

  /// The statistics that came with the rows; empty for none, and always with lazy_statistics.
  std::string_view inline_stats(size_t row) const {
    return stats_.empty() ? std::string_view() : stats_[row];
  }
  /// Where the statistics are when they did not come with the rows, or null.
  const std::shared_ptr<const LazyStatistics>& lazy_statistics() const { return lazy_statistics_; }

  /// The row as it was appended, for copying into another segment; `entries` backs the spans of the
  /// view.
  AddView View(size_t row, std::vector<MapEntryView>& entries) const;

 private:
  friend class FileSegmentBuilder;

  static constexpr int64_t kNone = INT64_MIN;
  // Of a partition column: row codes; 0 is "not named", 1 is NULL, 2 + n is dictionary[n].
  struct PartitionColumn {
    std::string name;
    std::vector<uint32_t> codes;
    std::vector<std::string_view> dictionary;
  };
  static std::optional<int64_t> At(const std::vector<int64_t>& column, size_t row) {
    if (row >= column.size() || column[row] == kNone) return std::nullopt;
    return column[row];
  }

  TextArena arena_;
  std::vector<std::string_view> paths_;
  std::vector<uint64_t> path_hashes_;
  std::vector<int64_t> sizes_;
  std::vector<int64_t> modification_times_;
  std::vector<bool> data_change_;
  std::vector<PartitionColumn> partition_columns_;
  // Columns that most tables lack stay empty until a row has a value, and may be shorter than
  // size().
  std::vector<std::string_view> stats_;
  std::vector<int64_t> base_row_ids_;
  std::vector<int64_t> row_commit_versions_;
  std::vector<uint32_t> vector_of_row_;  // 0, or 1 + index into vectors_
  std::vector<DeletionVectorView> vectors_;
  std::vector<std::string_view> providers_;
  std::vector<uint32_t> tags_of_row_;  // 0, or 1 + index into tags_
  std::vector<std::vector<MapEntryView>> tags_;
  std::shared_ptr<const LazyStatistics> lazy_statistics_;
};

/// Grows a segment row by row. One thread at a time.
class FileSegmentBuilder {
 public:
  FileSegmentBuilder();

  /// Copies one add action. Errors: kCorruptLog DELTA_LOG_FILE_MALFORMED when the files of one log
  /// name more than 1000 partition columns between them.
  Status Append(const AddView& add);
  /// Copies row `row` of another segment; `stats` in place of its inline statistics.
  Status AppendFrom(const FileSegment& segment, size_t row, std::string_view stats);
  size_t size() const { return segment_->size(); }
  const FileSegment& segment() const { return *segment_; }

  void SetLazyStatistics(std::shared_ptr<const LazyStatistics> statistics) {
    segment_->lazy_statistics_ = std::move(statistics);
  }
  /// Ends the building; the builder is spent.
  std::shared_ptr<const FileSegment> Finish();

 private:
  struct Dictionary {
    std::unordered_map<std::string_view, uint32_t> codes;
    uint32_t last_code = 0;
  };

  Status AppendPartitionValues(const AddView& add, size_t row);
  Result<size_t> PartitionColumn(std::string_view name, size_t position);
  uint32_t ValueCode(size_t column, const std::optional<std::string_view>& value);
  std::vector<MapEntryView> CopyEntries(std::span<const MapEntryView> entries);

  std::shared_ptr<FileSegment> segment_;
  std::vector<Dictionary> dictionaries_;
  std::vector<MapEntryView> scratch_;
};

/// An add action as a view of it; `entries` backs the spans.
AddView ViewOf(const AddFile& add, std::vector<MapEntryView>& entries);
/// The key of a remove action; it views into it.
FileKey KeyOf(const RemoveFile& remove);
DeletionVectorView ViewOf(const DeletionVectorDescriptor& vector);

}  // namespace weir::delta
