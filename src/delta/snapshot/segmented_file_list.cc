// SPDX-License-Identifier: Apache-2.0
#include "delta/snapshot/segmented_file_list.h"

#include <algorithm>
#include <utility>

#include "base/arithmetic.h"
#include "delta/snapshot/lazy_statistics.h"

namespace weir::delta {
namespace {

// Statistics by part; a part without lazy statistics has its own.
class ReadFileStatistics final : public FileStatistics {
 public:
  ReadFileStatistics(std::shared_ptr<const SegmentedFileList> list,
                     std::vector<std::shared_ptr<const StatisticsTexts>> read)
      : list_(std::move(list)), read_(std::move(read)) {}

  std::string_view json(size_t i) const override {
    auto at = list_->Locate(i);
    if (read_[at.part]) return read_[at.part]->texts[at.row];
    return list_->parts()[at.part].segment->inline_stats(at.row);
  }

 private:
  std::shared_ptr<const SegmentedFileList> list_;
  std::vector<std::shared_ptr<const StatisticsTexts>> read_;
};

}  // namespace

SegmentedFileList::SegmentedFileList(std::vector<FilePart> parts,
                                     const std::vector<std::string>& partition_columns)
    : parts_(std::move(parts)) {
  for (const auto& part : parts_) {
    starts_.push_back(size_);
    size_ += part.size();
    for (size_t i = 0; i < part.size(); ++i) {
      total_size_ = SaturatingAdd(total_size_, part.segment->file_size(part.row(i)));
    }
    auto& columns = columns_.emplace_back();
    for (const auto& name : partition_columns) {
      columns.push_back(part.segment->FindPartitionColumn(name));
    }
  }
}

SegmentedFileList::Position SegmentedFileList::Locate(size_t i) const {
  size_t part = 0;
  if (starts_.size() > 1) {
    auto after = std::upper_bound(starts_.begin(), starts_.end(), i);
    part = static_cast<size_t>(after - starts_.begin()) - 1;
  }
  return {part, parts_[part].row(i - starts_[part])};
}

std::string_view SegmentedFileList::path(size_t i) const {
  Position at = Locate(i);
  return Segment(at).path(at.row);
}

int64_t SegmentedFileList::file_size(size_t i) const {
  Position at = Locate(i);
  return Segment(at).file_size(at.row);
}

int64_t SegmentedFileList::modification_time(size_t i) const {
  Position at = Locate(i);
  return Segment(at).modification_time(at.row);
}

std::optional<std::string_view> SegmentedFileList::partition_value(size_t i, size_t k) const {
  Position at = Locate(i);
  int column = columns_[at.part][k];
  if (column < 0) return std::nullopt;
  return Segment(at).partition_value(at.row, column);
}

bool SegmentedFileList::has_deletion_vector(size_t i) const {
  Position at = Locate(i);
  return Segment(at).has_deletion_vector(at.row);
}

std::optional<DeletionVectorDescriptor> SegmentedFileList::deletion_vector(size_t i) const {
  Position at = Locate(i);
  auto vector = Segment(at).deletion_vector(at.row);
  if (!vector) return std::nullopt;
  return DeletionVectorDescriptor{vector->storage_type, std::string(vector->path_or_inline_dv),
                                  vector->offset, vector->size_in_bytes, vector->cardinality};
}

std::optional<int64_t> SegmentedFileList::base_row_id(size_t i) const {
  Position at = Locate(i);
  return Segment(at).base_row_id(at.row);
}

std::optional<int64_t> SegmentedFileList::default_row_commit_version(size_t i) const {
  Position at = Locate(i);
  return Segment(at).default_row_commit_version(at.row);
}

AddFile SegmentedFileList::GetWithoutStats(size_t i) const {
  Position at = Locate(i);
  return Segment(at).Get(at.row);
}

Result<std::shared_ptr<const FileStatistics>> SegmentedFileList::ReadStatistics(
    const std::vector<std::string>& columns) const {
  std::vector<std::shared_ptr<const StatisticsTexts>> read;
  for (const auto& part : parts_) {
    const auto& lazy = part.segment->lazy_statistics();
    auto& texts = read.emplace_back();
    if (lazy) {
      WEIR_ASSIGN_OR_RETURN(texts, lazy->ReadColumns(columns));
    }
  }
  return std::make_shared<ReadFileStatistics>(shared_from_this(), std::move(read));
}

Status SegmentedFileList::LoadStats() const {
  for (const auto& part : parts_) {
    if (part.segment->lazy_statistics()) {
      WEIR_RETURN_IF_ERROR(part.segment->lazy_statistics()->Load());
    }
  }
  return {};
}

std::string_view SegmentedFileList::stats(size_t i) const {
  Position at = Locate(i);
  const auto& lazy = Segment(at).lazy_statistics();
  if (!lazy) return Segment(at).inline_stats(at.row);
  const StatisticsTexts* texts = lazy->LoadOrNull();
  return texts ? texts->texts[at.row] : std::string_view();
}

AddFile SegmentedFileList::Get(size_t i) const {
  AddFile add = GetWithoutStats(i);
  std::string_view text = stats(i);
  if (!text.empty()) add.stats = std::string(text);
  return add;
}

}  // namespace weir::delta
