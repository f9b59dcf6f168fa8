// SPDX-License-Identifier: Apache-2.0
#include "delta/snapshot/file_segment.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "base/text.h"

namespace weir::delta {
namespace {

constexpr size_t kArenaBlock = size_t{1} << 16;
constexpr size_t kMaxArenaBlock = size_t{1} << 22;
constexpr size_t kMaxPartitionColumns = 1000;

// The decoded path; a path that is no valid URI stands for itself.
std::string Canonical(std::string_view path) {
  auto decoded = PercentDecode(path);
  return decoded ? std::move(*decoded) : std::string(path);
}

bool IsEncoded(std::string_view path) { return path.find('%') != std::string_view::npos; }

}  // namespace

std::string_view TextArena::Add(std::string_view text) {
  if (text.empty()) return {"", 0};
  if (capacity_ - used_ < text.size()) {
    size_t wanted = std::min(kArenaBlock << std::min<size_t>(blocks_.size(), 6), kMaxArenaBlock);
    capacity_ = std::max(wanted, text.size());
    used_ = 0;
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(capacity_));
  }
  char* target = blocks_.back().get() + used_;
  std::memcpy(target, text.data(), text.size());
  used_ += text.size();
  return {target, text.size()};
}

bool SamePath(std::string_view a, std::string_view b) {
  if (a == b) return true;
  if (!IsEncoded(a) && !IsEncoded(b)) return false;
  return Canonical(a) == Canonical(b);
}

uint64_t HashPath(std::string_view path) {
  std::hash<std::string_view> hash;
  return IsEncoded(path) ? hash(Canonical(path)) : hash(path);
}

bool FileKey::SameVector(const FileKey& other) const {
  if (deletion_vector.has_value() != other.deletion_vector.has_value()) return false;
  if (!deletion_vector) return true;
  return deletion_vector->storage_type == other.deletion_vector->storage_type &&
         deletion_vector->offset == other.deletion_vector->offset &&
         deletion_vector->path_or_inline_dv == other.deletion_vector->path_or_inline_dv;
}

std::optional<DeletionVectorView> FileSegment::deletion_vector(size_t row) const {
  if (row >= vector_of_row_.size() || vector_of_row_[row] == 0) return std::nullopt;
  return vectors_[vector_of_row_[row] - 1];
}

int FileSegment::FindPartitionColumn(std::string_view name) const {
  for (size_t i = 0; i < partition_columns_.size(); ++i) {
    if (partition_columns_[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

std::optional<std::string_view> FileSegment::partition_value(size_t row, int column) const {
  const auto& values = partition_columns_[static_cast<size_t>(column)];
  uint32_t code = row < values.codes.size() ? values.codes[row] : 0;
  if (code < 2) return std::nullopt;
  return values.dictionary[code - 2];
}

AddView FileSegment::View(size_t row, std::vector<MapEntryView>& entries) const {
  entries.clear();
  for (size_t i = 0; i < partition_columns_.size(); ++i) {
    const auto& column = partition_columns_[i];
    if (row >= column.codes.size() || column.codes[row] == 0) continue;
    entries.push_back({column.name, partition_value(row, static_cast<int>(i))});
  }
  AddView view;
  view.path = paths_[row];
  view.partition_values = entries;
  view.size = sizes_[row];
  view.modification_time = modification_times_[row];
  view.data_change = data_change_[row];
  view.stats = inline_stats(row);
  if (row < tags_of_row_.size() && tags_of_row_[row] != 0) view.tags = tags_[tags_of_row_[row] - 1];
  view.deletion_vector = deletion_vector(row);
  view.base_row_id = base_row_id(row);
  view.default_row_commit_version = default_row_commit_version(row);
  if (row < providers_.size() && providers_[row].data() != nullptr) {
    view.clustering_provider = providers_[row];
  }
  return view;
}

AddFile FileSegment::Get(size_t row) const {
  std::vector<MapEntryView> entries;
  AddView view = View(row, entries);
  AddFile add;
  add.path = view.path;
  for (const auto& entry : entries) {
    add.partition_values.emplace(entry.key, entry.value);
  }
  add.size = view.size;
  add.modification_time = view.modification_time;
  add.data_change = view.data_change;
  if (view.tags) {
    add.tags.emplace();
    for (const auto& tag : *view.tags) add.tags->emplace(tag.key, tag.value.value_or(""));
  }
  if (const auto& vector = view.deletion_vector) {
    add.deletion_vector = {vector->storage_type, std::string(vector->path_or_inline_dv),
                           vector->offset, vector->size_in_bytes, vector->cardinality};
  }
  add.base_row_id = view.base_row_id;
  add.default_row_commit_version = view.default_row_commit_version;
  if (view.clustering_provider) add.clustering_provider = std::string(*view.clustering_provider);
  return add;
}

FileSegmentBuilder::FileSegmentBuilder() : segment_(std::make_shared<FileSegment>()) {}

Status FileSegmentBuilder::Append(const AddView& add) {
  FileSegment& segment = *segment_;
  size_t row = segment.size();
  WEIR_RETURN_IF_ERROR(AppendPartitionValues(add, row));
  segment.paths_.push_back(segment.arena_.Add(add.path));
  segment.path_hashes_.push_back(HashPath(add.path));
  segment.sizes_.push_back(add.size);
  segment.modification_times_.push_back(add.modification_time);
  segment.data_change_.push_back(add.data_change);
  if (!add.stats.empty() || !segment.stats_.empty()) {
    segment.stats_.resize(row);
    segment.stats_.push_back(segment.arena_.Add(add.stats));
  }
  auto put_number = [row](std::vector<int64_t>& column, const std::optional<int64_t>& value) {
    if (!value && column.empty()) return;
    column.resize(row, FileSegment::kNone);
    column.push_back(value.value_or(FileSegment::kNone));
  };
  put_number(segment.base_row_ids_, add.base_row_id);
  put_number(segment.row_commit_versions_, add.default_row_commit_version);
  if (add.deletion_vector || !segment.vector_of_row_.empty()) {
    segment.vector_of_row_.resize(row + 1);
  }
  if (add.deletion_vector) {
    DeletionVectorView vector = *add.deletion_vector;
    vector.path_or_inline_dv = segment.arena_.Add(vector.path_or_inline_dv);
    segment.vectors_.push_back(vector);
    segment.vector_of_row_[row] = static_cast<uint32_t>(segment.vectors_.size());
  }
  if (add.tags) {
    segment.tags_.push_back(CopyEntries(*add.tags));
    segment.tags_of_row_.resize(row + 1);
    segment.tags_of_row_[row] = static_cast<uint32_t>(segment.tags_.size());
  }
  if (add.clustering_provider) {
    segment.providers_.resize(row + 1);
    segment.providers_[row] = segment.arena_.Add(*add.clustering_provider);
  }
  return {};
}

Status FileSegmentBuilder::AppendFrom(const FileSegment& segment, size_t row,
                                      std::string_view stats) {
  AddView view = segment.View(row, scratch_);
  view.stats = stats;
  return Append(view);
}

std::shared_ptr<const FileSegment> FileSegmentBuilder::Finish() {
  if (!segment_->stats_.empty()) segment_->stats_.resize(segment_->size());
  if (!segment_->vector_of_row_.empty()) segment_->vector_of_row_.resize(segment_->size());
  return std::move(segment_);
}

Status FileSegmentBuilder::AppendPartitionValues(const AddView& add, size_t row) {
  for (size_t i = 0; i < add.partition_values.size(); ++i) {
    const auto& entry = add.partition_values[i];
    WEIR_ASSIGN_OR_RETURN(size_t column, PartitionColumn(entry.key, i));
    auto& codes = segment_->partition_columns_[column].codes;
    codes.resize(row + 1);
    codes[row] = ValueCode(column, entry.value);
  }
  return {};
}

// Files of one table name the same columns in the same order, so the place in the map is a good
// guess.
Result<size_t> FileSegmentBuilder::PartitionColumn(std::string_view name, size_t position) {
  auto& columns = segment_->partition_columns_;
  if (position < columns.size() && columns[position].name == name) return position;
  int found = segment_->FindPartitionColumn(name);
  if (found >= 0) return static_cast<size_t>(found);
  if (columns.size() == kMaxPartitionColumns) {
    return Fail(CorruptLog(
        "DELTA_LOG_FILE_MALFORMED",
        "the add actions name more than 1000 different partition columns, the last one '" +
            std::string(name) + "'"));
  }
  columns.emplace_back().name = std::string(name);
  dictionaries_.emplace_back();
  return columns.size() - 1;
}

uint32_t FileSegmentBuilder::ValueCode(size_t column,
                                       const std::optional<std::string_view>& value) {
  if (!value || value->empty()) return 1;
  auto& dictionary = dictionaries_[column];
  auto& values = segment_->partition_columns_[column].dictionary;
  if (dictionary.last_code != 0 && values[dictionary.last_code - 2] == *value) {
    return dictionary.last_code;
  }
  auto it = dictionary.codes.find(*value);
  if (it == dictionary.codes.end()) {
    values.push_back(segment_->arena_.Add(*value));
    it = dictionary.codes.emplace(values.back(), static_cast<uint32_t>(values.size() + 1)).first;
  }
  dictionary.last_code = it->second;
  return it->second;
}

std::vector<MapEntryView> FileSegmentBuilder::CopyEntries(std::span<const MapEntryView> entries) {
  std::vector<MapEntryView> copy;
  copy.reserve(entries.size());
  for (const auto& entry : entries) {
    auto& target = copy.emplace_back();
    target.key = segment_->arena_.Add(entry.key);
    if (entry.value) target.value = segment_->arena_.Add(*entry.value);
  }
  return copy;
}

DeletionVectorView ViewOf(const DeletionVectorDescriptor& vector) {
  return {vector.storage_type, vector.path_or_inline_dv, vector.offset, vector.size_in_bytes,
          vector.cardinality};
}

AddView ViewOf(const AddFile& add, std::vector<MapEntryView>& entries) {
  entries.clear();
  entries.reserve(add.partition_values.size() + (add.tags ? add.tags->size() : 0));
  for (const auto& [name, value] : add.partition_values) entries.push_back({name, value});
  size_t partition_count = entries.size();
  if (add.tags) {
    for (const auto& [name, value] : *add.tags) entries.push_back({name, value});
  }
  std::span<const MapEntryView> all(entries);
  AddView view;
  view.path = add.path;
  view.partition_values = all.first(partition_count);
  view.size = add.size;
  view.modification_time = add.modification_time;
  view.data_change = add.data_change;
  if (add.stats) view.stats = *add.stats;
  if (add.tags) view.tags = all.subspan(partition_count);
  if (add.deletion_vector) view.deletion_vector = ViewOf(*add.deletion_vector);
  view.base_row_id = add.base_row_id;
  view.default_row_commit_version = add.default_row_commit_version;
  if (add.clustering_provider) view.clustering_provider = *add.clustering_provider;
  return view;
}

FileKey KeyOf(const RemoveFile& remove) {
  FileKey key{HashPath(remove.path), remove.path, std::nullopt};
  if (remove.deletion_vector) key.deletion_vector = ViewOf(*remove.deletion_vector);
  return key;
}

}  // namespace weir::delta
