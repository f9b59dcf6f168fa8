// SPDX-License-Identifier: Apache-2.0
#include "engine/write/data_writer.h"

#include <fmt/format.h>

#include <unordered_map>
#include <utility>

#include "duckdb/common/file_system.hpp"
#include "duckdb/common/vector_operations/vector_operations.hpp"

#include "base/text.h"
#include "base/uuid.h"
#include "delta/features/iceberg_compat.h"
#include "delta/partitions/partition_values.h"
#include "delta/statistics/file_statistics.h"
#include "engine/duckdb_errors.h"
#include "engine/write/row_buffer.h"
#include "engine/write/value_conversion.h"
#include "storage/object_store.h"
#include "storage/remote_store.h"

namespace weir::engine {
namespace {

// As DuckDB's own row groups: large enough to compress well, small enough to be held per partition.
constexpr size_t kRowGroupRows = 122880;
// Wide rows are cut earlier.
constexpr size_t kRowGroupBytes = 64 << 20;

using PartitionTuple = std::vector<std::optional<std::string>>;

}  // namespace

std::vector<FileColumn> TrackingColumns(const TableLayout& layout) {
  if (!layout.tracks_rows()) return {};
  std::vector<FileColumn> columns = {
      {*layout.row_id_column, duckdb::LogicalType::BIGINT, nullptr},
      {*layout.row_commit_version_column, duckdb::LogicalType::BIGINT, nullptr}};
  if (layout.iceberg_row_ids) {
    columns[0].field_id = delta::kIcebergRowIdField;
    columns[1].field_id = delta::kIcebergRowCommitVersionField;
  }
  return columns;
}

struct DataWriter::Buffer {
  Buffer(duckdb::ClientContext& context, const duckdb::vector<duckdb::LogicalType>& types,
         bool is_one_of_many, const std::vector<StatisticsField>& fields)
      : rows(context, types, is_one_of_many), statistics(fields) {}

  RowBuffer rows;
  StatisticsCollector statistics;
};

struct DataWriter::OpenFile {
  OpenFile(duckdb::ClientContext& context, const ParquetFormat& format, std::string full_path,
           std::string log_path, const std::vector<StatisticsField>& fields)
      : parquet(context, format, std::move(full_path)),
        path(std::move(log_path)),
        statistics(fields) {}

  ParquetFile parquet;
  std::string path;
  StatisticsCollector statistics;
  int writers = 0;  // threads between taking the file and having written their row group
};

struct DataWriter::Partition {
  delta::PartitionValues values;
  std::string directory;  // below the table's folder, with a slash behind it, or empty

  std::mutex mutex;  // over the two below
  std::shared_ptr<OpenFile> current;
  std::unique_ptr<Buffer> leftover;
};

struct DataWriter::Group {
  Partition* partition = nullptr;
  duckdb::SelectionVector rows;
  size_t count = 0;
};

DataWriter::Local::Local() = default;
DataWriter::Local::~Local() = default;

DataWriter::DataWriter(duckdb::ClientContext& context, std::shared_ptr<const TableLayout> layout,
                       std::string root, FileKind kind, std::vector<FileColumn> extra,
                       Announce announce)
    : context_(context),
      layout_(std::move(layout)),
      root_(std::move(root)),
      kind_(kind),
      announce_(std::move(announce)) {
  std::vector<FileColumn> columns;
  for (size_t place : layout_->data_columns) {
    const auto& column = layout_->columns[place];
    // DuckDB's writer shreds a column of variants as its first rows suggest. It has no way to write
    // those within other types, and makes the variant null of NULL.
    const bool shreds = layout_->shreds_variants && !column.field.nullable &&
                        column.type.id() == duckdb::LogicalTypeId::VARIANT;
    encodes_.push_back(!shreds && HoldsVariant(column.type));
    columns.push_back({column.field.physical_name(),
                       shreds ? column.type : VariantEncoder::FileType(column.type),
                       &column.field});
    file_columns_.push_back(place);
  }
  for (const auto& column : layout_->columns) row_types_.push_back(column.type);
  for (auto& column : extra) {
    file_columns_.push_back(row_types_.size());
    row_types_.push_back(column.type);
    columns.push_back(std::move(column));
    encodes_.push_back(false);
  }
  format_ =
      std::make_unique<ParquetFormat>(context_, columns, layout_->codec, layout_->column_mapping);
}

DataWriter::~DataWriter() = default;

std::unique_ptr<DataWriter::Buffer> DataWriter::NewBuffer() const {
  static const std::vector<StatisticsField> kNone;
  return std::make_unique<Buffer>(context_, format_->types(), !layout_->partition_columns.empty(),
                                  kind_ == FileKind::kData ? layout_->statistics_fields : kNone);
}

void DataWriter::Append(Local& local, duckdb::DataChunk& rows) {
  if (rows.size() == 0) return;
  if (layout_->partition_columns.empty()) {
    AppendTo(local, FindPartition({}), rows);
  } else {
    Route(local, rows);
  }
}

void DataWriter::AppendTo(Local& local, Partition& partition, duckdb::DataChunk& rows) {
  auto& buffer = local.buffers[&partition];
  if (!buffer) buffer = NewBuffer();
  duckdb::DataChunk file_rows;
  file_rows.InitializeEmpty(format_->types());
  for (size_t i = 0; i < file_columns_.size(); i++) {
    auto& values = rows.data[file_columns_[i]];
    if (!encodes_[i]) {
      file_rows.data[i].Reference(values);
      continue;
    }
    if (!local.variants) local.variants = std::make_unique<VariantEncoder>(context_);
    duckdb::Vector encoded(VariantEncoder::FileType(values.GetType()));
    local.variants->Encode(values, rows.size(), encoded);
    file_rows.data[i].Reference(encoded);
  }
  file_rows.SetCardinality(rows.size());
  buffer->statistics.Update(file_rows);
  buffer->rows.Append(file_rows);
  if (buffer->rows.HasReached(kRowGroupRows, kRowGroupBytes))
    WriteGroup(partition, std::exchange(buffer, nullptr));
}

void DataWriter::Route(Local& local, duckdb::DataChunk& rows) {
  auto groups = GroupByPartition(rows);
  if (groups.size() == 1) {
    AppendTo(local, *groups[0].partition, rows);
    return;
  }
  for (auto& group : groups) {
    duckdb::DataChunk slice;
    slice.InitializeEmpty(rows.GetTypes());
    slice.Slice(rows, group.rows, group.count);
    AppendTo(local, *group.partition, slice);
  }
}

// Rows are grouped by the hash of their partition columns, so that texts are made once per group
// and not per row. A group in which not all rows are equal (two values with one hash) is taken
// apart row by row.
std::vector<DataWriter::Group> DataWriter::GroupByPartition(duckdb::DataChunk& rows) const {
  const size_t count = rows.size();
  duckdb::vector<duckdb::Vector> keys;
  for (size_t place : layout_->partition_columns) {
    auto& column = rows.data[place];
    // The bits, not the number: -0.0 and 0.0 are different partitions.
    if (column.GetType().id() == duckdb::LogicalTypeId::FLOAT ||
        column.GetType().id() == duckdb::LogicalTypeId::DOUBLE) {
      column.Flatten(count);
      keys.emplace_back(column.GetType().id() == duckdb::LogicalTypeId::FLOAT
                            ? duckdb::LogicalType::INTEGER
                            : duckdb::LogicalType::BIGINT);
      keys.back().Reinterpret(column);
    } else {
      keys.emplace_back(column.GetType());
      keys.back().Reference(column);
    }
  }
  duckdb::Vector hashes(duckdb::LogicalType::HASH, count);
  duckdb::VectorOperations::Hash(keys[0], hashes, count);
  for (size_t i = 1; i < keys.size(); i++) {
    duckdb::VectorOperations::CombineHash(hashes, keys[i], count);
  }
  hashes.Flatten(count);
  const auto* hash = duckdb::FlatVector::GetData<duckdb::hash_t>(hashes);

  std::unordered_map<duckdb::hash_t, size_t> places;
  std::vector<size_t> group_of(count);
  std::vector<size_t> first_rows;
  duckdb::SelectionVector first_of(count);
  for (size_t row = 0; row < count; row++) {
    auto [it, is_new] = places.try_emplace(hash[row], first_rows.size());
    if (is_new) first_rows.push_back(row);
    group_of[row] = it->second;
    first_of.set_index(row, first_rows[it->second]);
  }
  bool all_equal = true;
  duckdb::SelectionVector different(count);
  for (auto& key : keys) {
    duckdb::Vector firsts(key, first_of, count);
    all_equal = all_equal && duckdb::VectorOperations::DistinctFrom(key, firsts, nullptr, count,
                                                                    &different, nullptr) == 0;
  }
  if (!all_equal) {
    first_rows.clear();
    std::map<PartitionTuple, size_t> by_text;
    for (size_t row = 0; row < count; row++) {
      auto [it, is_new] = by_text.try_emplace(PartitionTexts(rows, row), first_rows.size());
      if (is_new) first_rows.push_back(row);
      group_of[row] = it->second;
    }
  }

  std::vector<size_t> sizes(first_rows.size(), 0);
  for (size_t group : group_of) sizes[group]++;
  std::vector<Group> groups(first_rows.size());
  for (size_t i = 0; i < groups.size(); i++) {
    groups[i].partition =
        &const_cast<DataWriter*>(this)->FindPartition(PartitionTexts(rows, first_rows[i]));
    groups[i].rows.Initialize(sizes[i]);
  }
  for (size_t row = 0; row < count; row++) {
    auto& group = groups[group_of[row]];
    group.rows.set_index(group.count++, row);
  }
  return groups;
}

PartitionTuple DataWriter::PartitionTexts(duckdb::DataChunk& rows, size_t row) const {
  PartitionTuple texts;
  for (size_t place : layout_->partition_columns) {
    const auto& type = *layout_->columns[place].field.type;
    texts.push_back(OrThrow(
        delta::SerializePartitionValue(type, ToDeltaValue(rows.GetValue(place, row), type))));
  }
  return texts;
}

std::set<std::vector<std::optional<std::string>>> DataWriter::Partitions() const {
  std::set<std::vector<std::optional<std::string>>> all;
  for (const auto& [values, partition] : partitions_) all.insert(values);
  return all;
}

DataWriter::Partition& DataWriter::FindPartition(const PartitionTuple& texts) {
  std::lock_guard lock(mutex_);
  auto& partition = partitions_[texts];
  if (!partition) {
    partition = std::make_unique<Partition>();
    std::vector<std::pair<std::string, std::optional<std::string>>> folders;
    for (size_t i = 0; i < texts.size(); i++) {
      const auto& field = layout_->columns[layout_->partition_columns[i]].field;
      partition->values[field.physical_name()] = texts[i];
      folders.emplace_back(field.name, texts[i]);
    }
    if (!folders.empty() && !layout_->column_mapping) {
      partition->directory = delta::PartitionDirectory(folders) + "/";
    }
  }
  return *partition;
}

void DataWriter::WriteGroup(Partition& partition, std::unique_ptr<Buffer> buffer) {
  std::shared_ptr<OpenFile> file;
  {
    std::lock_guard lock(partition.mutex);
    if (!partition.current) partition.current = CreateFile(partition);
    file = partition.current;
    file->writers++;
  }
  file->parquet.WriteRowGroup(buffer->rows.Take());
  bool is_last_writer = false;
  {
    std::lock_guard lock(partition.mutex);
    file->statistics.Merge(buffer->statistics);
    file->writers--;
    if (partition.current == file && file->parquet.HasReached(layout_->target_file_size)) {
      partition.current.reset();
    }
    is_last_writer = partition.current != file && file->writers == 0;
  }
  if (is_last_writer) Close(*file, partition);
}

std::unique_ptr<DataWriter::OpenFile> DataWriter::CreateFile(const Partition& partition) {
  const int number = next_file_.fetch_add(1);
  const std::string id = Uuid::Random().ToString();
  const std::string codec = format_->codec().empty() ? "" : "." + format_->codec();
  std::string directory = partition.directory;
  std::string name;
  if (kind_ == FileKind::kData) {
    name = fmt::format("part-{:05}-{}-c000{}.parquet", number, id, codec);
    // Under column mapping names of columns are kept out of paths: a short random folder instead.
    if (layout_->column_mapping && !layout_->partition_columns.empty())
      directory = id.substr(0, 2) + "/";
  } else {
    name = fmt::format("cdc-{:05}-{}.c000{}.parquet", number, id, codec);
    directory = "_change_data/" + directory;
  }
  const std::string relative = directory + name;
  const std::string full = storage::JoinPath(root_, relative);
  announce_(full);
  auto& fs = duckdb::FileSystem::GetFileSystem(context_);
  if (!storage::IsRemoteLocation(full)) {
    fs.CreateDirectoriesRecursive(full.substr(0, full.rfind('/')));
  }
  static const std::vector<StatisticsField> kNone;
  return std::make_unique<OpenFile>(context_, *format_, full, UriEncodePath(relative),
                                    kind_ == FileKind::kData ? layout_->statistics_fields : kNone);
}

void DataWriter::Close(OpenFile& file, const Partition& partition) {
  WrittenFile written;
  written.path = file.path;
  written.partition_values = partition.values;
  written.size = file.parquet.Finish();
  written.rows = file.statistics.rows();
  if (kind_ == FileKind::kData) {
    auto statistics = file.statistics.Finish();
    if (layout_->deletion_vectors_supported) statistics.tight_bounds = true;
    written.stats = delta::BuildStatistics(layout_->statistics_columns, statistics);
  }
  std::lock_guard lock(mutex_);
  finished_.push_back(std::move(written));
}

void DataWriter::Combine(Local& local) {
  for (auto& [partition, buffer] : local.buffers) {
    if (!buffer) continue;
    std::unique_ptr<Buffer> full;
    {
      std::lock_guard lock(partition->mutex);
      if (!partition->leftover) {
        partition->leftover = std::move(buffer);
      } else {
        partition->leftover->rows.Absorb(buffer->rows);
        partition->leftover->statistics.Merge(buffer->statistics);
      }
      if (partition->leftover->rows.rows() >= kRowGroupRows) full = std::move(partition->leftover);
    }
    if (full) WriteGroup(*partition, std::move(full));
  }
  local.buffers.clear();
}

std::vector<WrittenFile> DataWriter::Finish() {
  for (auto& [texts, partition] : partitions_) {
    if (partition->leftover) WriteGroup(*partition, std::move(partition->leftover));
    if (auto file = std::exchange(partition->current, nullptr)) Close(*file, *partition);
  }
  return std::move(finished_);
}

}  // namespace weir::engine
