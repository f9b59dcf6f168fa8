// SPDX-License-Identifier: Apache-2.0
#include "engine/write/table_layout.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "delta/features/features.h"
#include "delta/features/iceberg_compat.h"
#include "delta/features/properties.h"
#include "delta/partitions/partition_values.h"
#include "delta/row_tracking/row_tracking.h"
#include "engine/catalog/type_mapping.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

constexpr int64_t kDefaultTargetFileSize = int64_t{128} << 20;

void AddColumns(const TableState& state, TableLayout& layout) {
  for (const auto& field : state.schema()->fields()) {
    layout.columns.push_back({field, OrThrow(ToDuckDB(*field.type)), false});
  }
  for (const auto& name : state.metadata().partition_columns) {
    auto it = std::find_if(layout.columns.begin(), layout.columns.end(), [&](const auto& column) {
      return EqualsIgnoreCase(column.field.name, name);
    });
    if (it == layout.columns.end()) {
      Throw(CorruptLog("DELTA_PARTITION_COLUMN_NOT_FOUND",
                       "table " + state.log().root + " is partitioned by \"" + name +
                           "\", which is not a column of its schema"));
    }
    it->is_partition = true;
    layout.partition_columns.push_back(static_cast<size_t>(it - layout.columns.begin()));
  }
  const bool materializes =
      delta::IsSupported(state.protocol(), delta::Feature::kMaterializePartitionColumns) ||
      delta::IsIcebergCompatEnabled(state.metadata());
  for (size_t i = 0; i < layout.columns.size(); i++) {
    const auto& column = layout.columns[i];
    if ((materializes || !column.is_partition) &&
        column.field.type->kind() != delta::TypeKind::kVoid) {
      layout.data_columns.push_back(i);
    }
  }
}

}  // namespace

std::vector<std::optional<std::string>> TableLayout::PartitionOf(const delta::AddFile& file) const {
  std::vector<std::optional<std::string>> values;
  for (size_t place : partition_columns) {
    const auto& field = columns[place].field;
    const auto known = file.partition_values.find(field.physical_name());
    std::optional<std::string_view> text;
    if (known != file.partition_values.end() && known->second) text = *known->second;
    const auto value = OrThrow(delta::ParsePartitionValue(*field.type, text));
    values.push_back(OrThrow(delta::SerializePartitionValue(*field.type, value)));
  }
  return values;
}

std::shared_ptr<const TableLayout> TableLayout::Of(const TableState& state) {
  auto layout = std::make_shared<TableLayout>();
  AddColumns(state, *layout);
  layout->statistics_columns = OrThrow(delta::StatisticsColumns(*state.schema(), state.metadata()));
  for (size_t place : layout->data_columns) {
    layout->statistics_fields.push_back(
        StatisticsField::Of(layout->columns[place].field, layout->statistics_columns));
  }
  const auto& protocol = state.protocol();
  const auto& metadata = state.metadata();
  const auto active = [&](delta::Feature feature) {
    return delta::IsActive(feature, protocol, metadata, *state.schema());
  };
  const auto properties = OrThrow(delta::ParseTableProperties(metadata.configuration));
  layout->codec = properties.parquet_compression_codec.value_or("zstd");
  layout->target_file_size = properties.target_file_size.value_or(kDefaultTargetFileSize);
  layout->column_mapping = active(delta::Feature::kColumnMapping);
  layout->deletion_vectors_supported =
      delta::IsSupported(protocol, delta::Feature::kDeletionVectors);
  layout->deletion_vectors_enabled = active(delta::Feature::kDeletionVectors);
  layout->change_feed_enabled = active(delta::Feature::kChangeDataFeed);
  layout->append_only = active(delta::Feature::kAppendOnly);
  layout->shreds_variants =
      active(delta::Feature::kVariantShredding) || active(delta::Feature::kVariantShreddingPreview);
  if (delta::IsRowTrackingEnabled(protocol, metadata)) {
    if (auto columns = delta::MaterializedColumnsOf(metadata)) {
      layout->row_id_column = columns->row_id;
      layout->row_commit_version_column = columns->row_commit_version;
    }
  }
  layout->iceberg_row_ids = delta::HasIcebergRowIds(metadata);
  return layout;
}

}  // namespace weir::engine
