// SPDX-License-Identifier: Apache-2.0
#include "delta/clustering/clustering_columns.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "delta/statistics/statistics_columns.h"

namespace weir::delta {
namespace {

constexpr size_t kMaxColumns = 4;

Error Malformed(const std::string& configuration) {
  return CorruptLog(
      "DELTA_CLUSTERING_DOMAIN_MALFORMED",
      "the metadata domain delta.clustering holds no list of columns: " + configuration);
}

// One path; false for what is none.
bool ReadPath(const JsonValue& value, ClusteringColumn& path) {
  if (value.is_string()) {
    path.push_back(value.text());
    return true;
  }
  for (const JsonValue& part : value.items()) {
    if (!part.is_string()) return false;
    path.push_back(part.text());
  }
  return !path.empty();
}

struct Found {
  ClusteringColumn logical;
  ClusteringColumn physical;
  TypePtr type;
};

Result<Found> FindColumn(const DataType& schema, const ClusteringColumn& named) {
  Found found;
  const DataType* parent = &schema;
  for (const std::string& name : named) {
    const StructField* field =
        parent->kind() == TypeKind::kStruct ? parent->FindField(name) : nullptr;
    if (field == nullptr) {
      return Fail(InvalidArgument("DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
                                  "CLUSTER BY names a column " + JoinColumnPath(named) +
                                      " that is not in the table's schema " + schema.ToSql(),
                                  "42703"));
    }
    found.logical.push_back(field->name);
    found.physical.push_back(field->physical_name());
    found.type = field->type;
    parent = field->type.get();
  }
  return found;
}

Status CheckCount(size_t count) {
  if (count <= kMaxColumns) return {};
  return Fail(InvalidArgument("DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS",
                              "CLUSTER BY takes up to " + std::to_string(kMaxColumns) +
                                  " columns, found " + std::to_string(count),
                              "54000"));
}

Status CheckStatistics(const DataType& schema, const Metadata& metadata,
                       const std::vector<Found>& columns) {
  WEIR_ASSIGN_OR_RETURN(const auto kept, StatisticsColumns(schema, metadata));
  for (const Found& column : columns) {
    if (!TypeHasBounds(column.type->kind())) {
      return Fail(InvalidArgument("DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED",
                                  "CLUSTER BY cannot use column " + JoinColumnPath(column.logical) +
                                      " of type " + column.type->ToSql() +
                                      ": files have no least and greatest value of it",
                                  "0A000"));
    }
    const bool has_stats = std::any_of(kept.begin(), kept.end(), [&](const auto& candidate) {
      return candidate.physical_path == column.physical;
    });
    if (!has_stats) {
      return Fail(InvalidArgument(
          "DELTA_CLUSTERING_COLUMN_MISSING_STATS",
          "CLUSTER BY needs statistics of column " + JoinColumnPath(column.logical) +
              ", which delta.dataSkippingNumIndexedCols or delta.dataSkippingStatsColumns leaves "
              "out",
          "22000"));
    }
  }
  return {};
}

// The names of a physical path, or the path itself.
ClusteringColumn LogicalOf(const DataType& schema, const ClusteringColumn& physical) {
  ClusteringColumn logical;
  const DataType* parent = &schema;
  for (const std::string& name : physical) {
    if (parent->kind() != TypeKind::kStruct) return physical;
    const auto& fields = parent->fields();
    const auto field = std::find_if(
        fields.begin(), fields.end(),
        [&](const StructField& candidate) { return candidate.physical_name() == name; });
    if (field == fields.end()) return physical;
    logical.push_back(field->name);
    parent = field->type.get();
  }
  return logical;
}

}  // namespace

Result<std::vector<ClusteringColumn>> ClusteringColumnsOf(
    const std::map<std::string, DomainMetadata>& domains) {
  std::vector<ClusteringColumn> columns;
  const auto it = domains.find(kClusteringDomain);
  if (it == domains.end() || it->second.removed) return columns;
  const std::string& configuration = it->second.configuration;
  const auto parsed = JsonValue::Parse(configuration);
  const JsonValue* list = parsed ? parsed->Find("clusteringColumns") : nullptr;
  if (list == nullptr || !list->is_array()) return Fail(Malformed(configuration));
  for (const JsonValue& value : list->items()) {
    if (!ReadPath(value, columns.emplace_back())) return Fail(Malformed(configuration));
  }
  return columns;
}

DomainMetadata MakeClusteringDomain(const std::vector<ClusteringColumn>& physical) {
  JsonValue list = JsonValue::Array();
  for (const ClusteringColumn& path : physical) {
    JsonValue parts = JsonValue::Array();
    for (const std::string& name : path) parts.items().push_back(JsonValue::String(name));
    list.items().push_back(std::move(parts));
  }
  JsonValue configuration = JsonValue::Object();
  configuration.Set("clusteringColumns", std::move(list));
  configuration.Set("domainName", JsonValue::String(kClusteringDomain));
  return {kClusteringDomain, configuration.ToString(), false};
}

Result<std::vector<ClusteringColumn>> ResolveClusteringColumns(
    const DataType& schema, const Metadata& metadata, const std::vector<ClusteringColumn>& named) {
  if (!named.empty() && !metadata.partition_columns.empty()) {
    return Fail(InvalidArgument("DELTA_CLUSTER_BY_WITH_PARTITIONED_BY",
                                "a table is clustered or partitioned, not both", "42613"));
  }
  WEIR_RETURN_IF_ERROR(CheckCount(named.size()));
  std::vector<Found> found;
  std::vector<ClusteringColumn> physical;
  for (const ClusteringColumn& path : named) {
    WEIR_ASSIGN_OR_RETURN(Found column, FindColumn(schema, path));
    if (std::find(physical.begin(), physical.end(), column.physical) != physical.end()) {
      return Fail(InvalidArgument("DELTA_DUPLICATE_COLUMNS_FOUND",
                                  "CLUSTER BY names column " + JoinColumnPath(path) + " twice",
                                  "42711"));
    }
    physical.push_back(column.physical);
    found.push_back(std::move(column));
  }
  WEIR_RETURN_IF_ERROR(CheckStatistics(schema, metadata, found));
  return physical;
}

std::vector<ClusteringColumn> LogicalClusteringColumns(
    const DataType& schema, const std::vector<ClusteringColumn>& physical) {
  std::vector<ClusteringColumn> logical;
  for (const ClusteringColumn& path : physical) logical.push_back(LogicalOf(schema, path));
  return logical;
}

std::string JoinColumnPath(const ClusteringColumn& path) {
  std::string joined;
  for (const std::string& name : path) joined += (joined.empty() ? "" : ".") + name;
  return joined;
}

}  // namespace weir::delta
