// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <set>

#include "duckdb.hpp"

#include "base/text.h"
#include "engine/catalog/type_mapping.h"
#include "engine/duckdb_errors.h"
#include "engine/maintenance/compaction.h"
#include "engine/scan/scan_files.h"

namespace weir::engine {
namespace {

std::string Literal(const std::optional<std::string>& value, const std::string& type) {
  return "CAST(" + (value ? QuoteLiteral(*value) : std::string("NULL")) + " AS " + type + ")";
}

// SELECT of the numbers of those partitions for which the condition holds.
Result<std::string> FilterQuery(const TableState& state,
                                const std::vector<delta::PartitionValues>& partitions,
                                const std::string& condition) {
  std::string names;
  std::vector<std::pair<std::string, std::string>> columns;  // physical name, type
  for (const std::string& column : state.metadata().partition_columns) {
    const delta::StructField* field = state.schema()->FindField(column);
    if (field == nullptr) {
      return Fail(CorruptLog("DELTA_PARTITION_COLUMN_NOT_FOUND",
                             "partition column " + column + " is not in the schema"));
    }
    WEIR_ASSIGN_OR_RETURN(const duckdb::LogicalType type, ToDuckDB(*field->type));
    columns.emplace_back(field->physical_name(), type.ToString());
    names += ", " + QuoteIdentifier(column);
  }
  std::string rows;
  for (size_t i = 0; i < partitions.size(); ++i) {
    rows += std::string(i == 0 ? "(" : ", (") + std::to_string(i);
    for (const auto& [name, type] : columns) {
      const auto it = partitions[i].find(name);
      rows += ", " + Literal(it == partitions[i].end() ? std::nullopt : it->second, type);
    }
    rows += ")";
  }
  return "SELECT weir_number FROM (VALUES " + rows + ") AS partitions(weir_number" + names +
         ") WHERE (" + condition + ")";
}

std::vector<delta::PartitionValues> DistinctPartitions(const TableState& state) {
  std::set<delta::PartitionValues> distinct;
  const ScanFiles files(TableState::Of(state.snapshot()));
  for (size_t i = 0; i < files.size(); ++i) distinct.insert(files.Get(i).partition_values);
  return {distinct.begin(), distinct.end()};
}

}  // namespace

Result<FileFilter> PartitionFilter(duckdb::ClientContext& context, const TableState& state,
                                   const std::string& condition) {
  const std::vector<delta::PartitionValues> partitions = DistinctPartitions(state);
  if (partitions.empty()) return FileFilter([](const delta::AddFile&) { return false; });
  WEIR_ASSIGN_OR_RETURN(const std::string query, FilterQuery(state, partitions, condition));
  duckdb::Connection connection(*context.db);
  const auto result = connection.Query(query);
  if (result->HasError()) {
    return Fail(InvalidArgument(
        "DELTA_UNSUPPORTED_PARTITION_PREDICATE",
        "the condition " + condition +
            " must be one over the partition columns alone: " + result->GetError()));
  }
  auto chosen = std::make_shared<std::set<delta::PartitionValues>>();
  for (duckdb::idx_t row = 0; row < result->RowCount(); ++row) {
    chosen->insert(partitions.at(result->GetValue(0, row).GetValue<size_t>()));
  }
  return FileFilter(
      [chosen](const delta::AddFile& file) { return chosen->count(file.partition_values) > 0; });
}

}  // namespace weir::engine
