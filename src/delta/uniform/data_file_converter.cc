// SPDX-License-Identifier: Apache-2.0
#include "delta/uniform/data_file_converter.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "delta/actions/file_path.h"
#include "delta/partitions/partition_values.h"
#include "delta/statistics/file_statistics.h"
#include "delta/uniform/iceberg_schema.h"

namespace weir::delta {
namespace {

Error CannotConvert(const AddFile& add, const char* why) {
  return UnsupportedFeature("DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED",
                            "iceberg: file " + add.path + " " + why, "KD00E");
}

bool IsPartitionColumn(const Metadata& metadata, const std::string& name) {
  const auto& columns = metadata.partition_columns;
  return std::any_of(columns.begin(), columns.end(),
                     [&](const std::string& each) { return EqualsIgnoreCase(each, name); });
}

enum class Side { kLow, kHigh };

// Iceberg's bounds are never NaN, and have the zero that is outermost.
std::optional<std::string> Bound(const DataType& type, const std::optional<Value>& value,
                                 Side side) {
  if (!value) return std::nullopt;
  if (const double* number = value->if_double()) {
    if (std::isnan(*number)) return std::nullopt;
    if (*number == 0) return ToSingleValue(type, Value(side == Side::kLow ? -0.0 : 0.0));
  }
  // What stands for "anything that begins so" is no text.
  if (const std::string* text = value->if_string(); text && EndsWith(*text, "\xFF"))
    return std::nullopt;
  return ToSingleValue(type, *value);
}

}  // namespace

DataFileConverter::DataFileConverter(const Snapshot& snapshot)
    : root_(snapshot.log().root),
      schema_(snapshot.schema()),
      columns_(ColumnsOf(snapshot)),
      statistics_(Wanted(columns_)) {
  for (const std::string& column : snapshot.metadata().partition_columns)
    partition_fields_.push_back(schema_->FindField(column));
}

void DataFileConverter::AddColumns(const DataType& type, const Metadata& metadata,
                                   const ColumnPath& path, std::vector<Column>& columns) {
  for (const StructField& field : type.fields()) {
    if (path.empty() && IsPartitionColumn(metadata, field.name)) continue;
    ColumnPath field_path = path;
    field_path.push_back(field.physical_name());
    if (field.type->kind() == TypeKind::kStruct) {
      AddColumns(*field.type, metadata, field_path, columns);
    } else if (ToIcebergType(*field.type) && field.field_id()) {
      const bool was_float = field.type->kind() == TypeKind::kDouble &&
                             field.metadata.Find("delta.typeChanges") != nullptr;
      columns.push_back(
          {static_cast<int>(*field.field_id()), {std::move(field_path), field.type, was_float}});
    }
  }
}

std::vector<DataFileConverter::Column> DataFileConverter::ColumnsOf(const Snapshot& snapshot) {
  std::vector<Column> columns;
  AddColumns(*snapshot.schema(), snapshot.metadata(), {}, columns);
  return columns;
}

std::vector<WantedColumn> DataFileConverter::Wanted(const std::vector<Column>& columns) {
  std::vector<WantedColumn> wanted;
  for (const Column& column : columns) wanted.push_back(column.wanted);
  return wanted;
}

Result<iceberg::DataFile> DataFileConverter::Convert(const AddFile& add) {
  if (add.deletion_vector) return Fail(CannotConvert(add, "has a deletion vector"));
  const auto rows = add.stats ? ReadNumRecords(*add.stats) : std::nullopt;
  if (!rows) return Fail(CannotConvert(add, "does not say how many rows it has"));
  iceberg::DataFile file;
  WEIR_ASSIGN_OR_RETURN(file.path, ResolveFilePath(root_, add.path));
  file.record_count = *rows;
  file.size = add.size;
  WEIR_RETURN_IF_ERROR(ConvertPartition(add, file));
  ConvertStatistics(*add.stats, file);
  return file;
}

Status DataFileConverter::ConvertPartition(const AddFile& add, iceberg::DataFile& file) const {
  for (const StructField* field : partition_fields_) {
    const auto found = add.partition_values.find(field->physical_name());
    std::optional<std::string_view> text;
    if (found != add.partition_values.end() && found->second) text = *found->second;
    WEIR_ASSIGN_OR_RETURN(const Value value, ParsePartitionValue(*field->type, text));
    file.partition.push_back(ToSingleValue(*field->type, value));
  }
  return {};
}

void DataFileConverter::ConvertStatistics(const std::string& stats, iceberg::DataFile& file) {
  statistics_.Read(stats, facts_);
  for (size_t i = 0; i < columns_.size(); ++i) {
    const int id = columns_[i].field_id;
    const DataType& type = *columns_[i].wanted.type;
    const ColumnFacts& facts = facts_[i];
    if (facts.null_count) {
      file.value_counts.emplace_back(id, file.record_count);
      file.null_value_counts.emplace_back(id, *facts.null_count);
    }
    if (auto low = Bound(type, facts.low, Side::kLow))
      file.lower_bounds.emplace_back(id, std::move(*low));
    if (auto high = Bound(type, facts.high, Side::kHigh))
      file.upper_bounds.emplace_back(id, std::move(*high));
  }
}

}  // namespace weir::delta
