// SPDX-License-Identifier: Apache-2.0
#include "engine/maintenance/parquet_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "duckdb.hpp"

#include "base/text.h"
#include "delta/partitions/partition_values.h"
#include "delta/statistics/file_statistics.h"
#include "engine/catalog/type_mapping.h"
#include "engine/duckdb_errors.h"
#include "engine/values.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::LogicalTypeId;
using PartitionTexts = std::vector<std::pair<std::string, std::optional<std::string>>>;

bool IsHidden(std::string_view name) {
  return (StartsWith(name, "_") || StartsWith(name, ".")) &&
         name.find('=') == std::string_view::npos;
}

// The parts of a path below the root; empty when one of them is hidden.
std::vector<std::string> VisibleParts(std::string_view relative) {
  std::vector<std::string> parts;
  while (!relative.empty()) {
    const size_t end = std::min(relative.find('/'), relative.size());
    if (IsHidden(relative.substr(0, end))) return {};
    parts.emplace_back(relative.substr(0, end));
    relative.remove_prefix(std::min(end + 1, relative.size()));
  }
  return parts;
}

// A data file with what its path says.
struct FoundFile {
  storage::ObjectInfo info;
  std::string relative;
  PartitionTexts partition;
};

FoundFile Describe(storage::ObjectInfo info, const std::string& root,
                   const std::vector<std::string>& parts) {
  FoundFile file{std::move(info), {}, {}};
  file.relative = file.info.path.substr(root.size() + 1);
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    const size_t sign = parts[i].find('=');
    if (sign == std::string::npos || sign == 0) continue;
    const std::string value = delta::UnescapePathName(parts[i].substr(sign + 1));
    const bool is_null = value == delta::kHiveDefaultPartition || value.empty();
    file.partition.emplace_back(delta::UnescapePathName(parts[i].substr(0, sign)),
                                is_null ? std::nullopt : std::optional(value));
  }
  return file;
}

Result<std::vector<FoundFile>> FindFiles(storage::ObjectStore& store, const std::string& root) {
  WEIR_ASSIGN_OR_RETURN(auto objects, store.ListRecursive(root));
  std::vector<FoundFile> files;
  for (storage::ObjectInfo& object : objects) {
    const auto parts = VisibleParts(std::string_view(object.path).substr(root.size() + 1));
    if (!parts.empty()) files.push_back(Describe(std::move(object), root, parts));
  }
  if (!files.empty()) return files;
  return Fail(NotFound("DELTA_EMPTY_DIRECTORY",
                       root + " holds no Parquet file (files and folders that begin with _ or . do "
                              "not count)",
                       "42K03"));
}

// A column of the files.
struct Column {
  std::string name;
  LogicalType type;
  bool is_int96 = false;
  delta::TypePtr delta_type;
};

class FolderReader {
 public:
  FolderReader(duckdb::ClientContext& context, const ParquetFolderOptions& options)
      : connection_(*context.db), options_(options) {}

  Result<ParquetFolder> Read(std::vector<FoundFile> found) {
    WEIR_RETURN_IF_ERROR(FindPartitions(found));
    for (const FoundFile& file : found) WEIR_RETURN_IF_ERROR(MergeColumns(file));
    WEIR_RETURN_IF_ERROR(MakeSchema());
    for (const FoundFile& file : found) WEIR_RETURN_IF_ERROR(AddFile(file));
    return std::move(folder_);
  }

 private:
  Result<duckdb::unique_ptr<duckdb::MaterializedQueryResult>> Query(const std::string& sql) {
    auto result = connection_.Query(sql);
    if (result->HasError()) return Fail(FromDuckDB(result->GetErrorObject()));
    return result;
  }

  static std::string ScanSql(const FoundFile& file) {
    return "read_parquet(" + QuoteLiteral(file.info.path) + ", hive_partitioning = false)";
  }

  // Names and types of the partition columns, given or inferred.
  Status FindPartitions(const std::vector<FoundFile>& found) {
    if (options_.partitions) {
      for (const auto& [name, type] : *options_.partitions) {
        WEIR_ASSIGN_OR_RETURN(const delta::TypePtr mapped, GivenType(type));
        partitions_.emplace_back(name, mapped);
      }
    } else {
      for (const auto& [name, value] : found.front().partition)
        partitions_.emplace_back(name, InferType(found, partitions_.size()));
    }
    for (const FoundFile& file : found) WEIR_RETURN_IF_ERROR(CheckPartition(file));
    return {};
  }

  Result<delta::TypePtr> GivenType(const std::string& type) {
    WEIR_ASSIGN_OR_RETURN(const auto result, Query("SELECT CAST(NULL AS " + type + ")"));
    return FromDuckDB(result->types[0]);
  }

  static delta::TypePtr InferType(const std::vector<FoundFile>& found, size_t column) {
    using delta::TypeKind;
    for (const TypeKind kind : {TypeKind::kInteger, TypeKind::kLong, TypeKind::kDate}) {
      const auto type = delta::DataType::Primitive(kind);
      const bool fits = std::all_of(found.begin(), found.end(), [&](const FoundFile& file) {
        if (column >= file.partition.size()) return false;
        const auto& text = file.partition[column].second;
        if (!text) return true;
        const auto value = delta::ParseValue(*type, *text);
        if (!value) return false;
        // "007" is a name, no number.
        const auto printed = delta::SerializePartitionValue(*type, *value);
        return printed && *printed == text;
      });
      const bool any = std::any_of(found.begin(), found.end(), [&](const FoundFile& file) {
        return column < file.partition.size() && file.partition[column].second;
      });
      if (fits && any) return type;
    }
    return delta::DataType::Primitive(TypeKind::kString);
  }

  Status CheckPartition(const FoundFile& file) const {
    if (file.partition.size() != partitions_.size()) {
      return Fail(InvalidArgument(
          "DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME",
          fmt::format(
              "expected {} partition columns, but the path of {} names {}; say PARTITIONED BY "
              "(name type, ...) as the folders are",
              partitions_.size(), file.relative, file.partition.size()),
          "KD009"));
    }
    for (size_t i = 0; i < partitions_.size(); ++i) {
      if (EqualsIgnoreCase(file.partition[i].first, partitions_[i].first)) continue;
      return Fail(InvalidArgument(
          "DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME",
          fmt::format("expected the partition column {}, but the path of {} names {}",
                      partitions_[i].first, file.relative, file.partition[i].first),
          "KD009"));
    }
    return {};
  }

  bool IsPartitionColumn(const std::string& name) const {
    return std::any_of(partitions_.begin(), partitions_.end(), [&](const auto& partition) {
      return EqualsIgnoreCase(partition.first, name);
    });
  }

  Status MergeColumns(const FoundFile& file) {
    WEIR_ASSIGN_OR_RETURN(const auto result, Query("SELECT * FROM " + ScanSql(file) + " LIMIT 0"));
    WEIR_ASSIGN_OR_RETURN(const auto old_times,
                          Query("SELECT name FROM parquet_schema(" + QuoteLiteral(file.info.path) +
                                ") WHERE type = 'INT96'"));
    std::set<std::string> int96;
    for (duckdb::idx_t row = 0; row < old_times->RowCount(); ++row)
      int96.insert(old_times->GetValue(0, row).ToString());
    for (size_t i = 0; i < result->names.size(); ++i) {
      const std::string& name = result->names[i];
      if (IsPartitionColumn(name)) continue;
      const auto known = std::find_if(columns_.begin(), columns_.end(), [&](const Column& column) {
        return EqualsIgnoreCase(column.name, name);
      });
      if (known == columns_.end()) {
        columns_.push_back({name, result->types[i], int96.count(name) > 0, nullptr});
      } else if (known->type != result->types[i]) {
        return Fail(InvalidArgument(
            "DELTA_FAILED_MERGE_SCHEMA_FILE",
            fmt::format(
                "column {} is {} in {}, but {} in the files before it; rewrite the files with "
                "one schema",
                name, result->types[i].ToString(), file.relative, known->type.ToString()),
            "42KDA"));
      }
    }
    return {};
  }

  Status MakeSchema() {
    std::vector<delta::StructField> fields;
    for (Column& column : columns_) {
      // A timestamp of 12 bytes is an instant, as Spark has it.
      const bool is_instant = column.is_int96 && column.type.id() == LogicalTypeId::TIMESTAMP;
      WEIR_ASSIGN_OR_RETURN(column.delta_type,
                            FromDuckDB(is_instant ? LogicalType::TIMESTAMP_TZ : column.type));
      delta::StructField field;
      field.name = column.name;
      field.type = column.delta_type;
      fields.push_back(std::move(field));
    }
    for (const auto& [name, type] : partitions_) {
      delta::StructField field;
      field.name = name;
      field.type = type;
      fields.push_back(std::move(field));
      folder_.partition_columns.push_back(name);
    }
    folder_.schema = delta::DataType::Struct(std::move(fields));
    return {};
  }

  Status AddFile(const FoundFile& file) {
    delta::AddFile add;
    add.path = UriEncodePath(file.relative);
    add.size = file.info.size;
    add.modification_time = file.info.modified_ms;
    for (size_t i = 0; i < partitions_.size(); ++i) {
      const auto& [name, type] = partitions_[i];
      const auto& text = file.partition[i].second;
      const auto value = text ? delta::ParseValue(*type, *text) : std::optional(delta::Value());
      if (!value) {
        return Fail(InvalidArgument("DELTA_FAILED_CAST_PARTITION_VALUE",
                                    fmt::format("partition value '{}' in the path of {} is no {}",
                                                *text, file.relative, type->ToSql()),
                                    "22018"));
      }
      WEIR_ASSIGN_OR_RETURN(add.partition_values[name],
                            delta::SerializePartitionValue(*type, *value));
    }
    if (options_.statistics) {
      WEIR_ASSIGN_OR_RETURN(add.stats, Statistics(file));
    }
    folder_.files.push_back(std::move(add));
    return {};
  }

  // A column whose bounds can be told, as it stands in SQL.
  static bool HasBounds(const Column& column) {
    return delta::TypeHasBounds(column.delta_type->kind()) &&
           !(column.is_int96 && column.type.id() == LogicalTypeId::TIMESTAMP);
  }

  Result<std::string> Statistics(const FoundFile& file) {
    WEIR_ASSIGN_OR_RETURN(const auto there, Query("SELECT * FROM " + ScanSql(file) + " LIMIT 0"));
    std::vector<const Column*> columns;
    std::string sql = "SELECT count(*)";
    for (const std::string& name : there->names) {
      const auto column = std::find_if(columns_.begin(), columns_.end(), [&](const Column& c) {
        return EqualsIgnoreCase(c.name, name);
      });
      if (column == columns_.end() || columns.size() == kIndexedColumns) continue;
      columns.push_back(&*column);
      sql += ColumnSql(*column, QuoteIdentifier(name));
    }
    WEIR_ASSIGN_OR_RETURN(const auto result, Query(sql + " FROM " + ScanSql(file)));
    delta::DataFileStatistics statistics;
    statistics.num_records = result->GetValue(0, 0).GetValue<int64_t>();
    std::vector<delta::StatisticsColumn> described;
    for (size_t i = 0; i < columns.size(); ++i) {
      const auto at = [&](size_t n) { return result->GetValue(1 + 4 * i + n, 0); };
      const Column& column = *columns[i];
      // Nested columns have bounds for their members, which are not computed here.
      if (!column.delta_type->is_primitive()) continue;
      delta::ColumnStatistics of;
      of.null_count = statistics.num_records - at(0).GetValue<int64_t>();
      if (HasBounds(column)) {
        of.min = at(1).IsNull() ? std::nullopt : ToDelta(at(1), *column.delta_type);
        of.max = at(2).IsNull() ? std::nullopt : ToDelta(at(2), *column.delta_type);
      }
      of.has_nan = at(3).GetValue<bool>();
      described.push_back({{column.name}, {column.name}, column.delta_type});
      statistics.columns[{column.name}] = std::move(of);
    }
    return delta::BuildStatistics(described, statistics);
  }

  // count, min, max and whether there is a NaN.
  static std::string ColumnSql(const Column& column, const std::string& name) {
    const std::string count = ", count(" + name + ")";
    if (!HasBounds(column)) return count + ", NULL, NULL, false";
    const auto kind = column.delta_type->kind();
    if (kind != delta::TypeKind::kFloat && kind != delta::TypeKind::kDouble)
      return count + ", min(" + name + "), max(" + name + "), false";
    const std::string numbers = " FILTER (WHERE NOT isnan(" + name + "))";
    return count + ", min(" + name + ")" + numbers + ", max(" + name + ")" + numbers +
           ", coalesce(bool_or(isnan(" + name + ")), false)";
  }

  // delta.dataSkippingNumIndexedCols of a new table.
  static constexpr size_t kIndexedColumns = 32;

  duckdb::Connection connection_;
  const ParquetFolderOptions& options_;
  std::vector<std::pair<std::string, delta::TypePtr>> partitions_;
  std::vector<Column> columns_;
  ParquetFolder folder_;
};

}  // namespace

Result<ParquetFolder> ReadParquetFolder(duckdb::ClientContext& context, storage::ObjectStore& store,
                                        const std::string& root,
                                        const ParquetFolderOptions& options) {
  WEIR_ASSIGN_OR_RETURN(std::vector<FoundFile> found, FindFiles(store, root));
  try {
    return FolderReader(context, options).Read(std::move(found));
  } catch (const std::exception& exception) {
    return Fail(FromDuckDB(exception));
  }
}

}  // namespace weir::engine
