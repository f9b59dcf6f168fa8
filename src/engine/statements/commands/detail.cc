// SPDX-License-Identifier: Apache-2.0
//
// DESCRIBE DETAIL: one row about the table as it is now, in Spark's columns.
#include <algorithm>

#include "duckdb.hpp"

#include "base/json.h"
#include "delta/clustering/clustering_columns.h"
#include "engine/catalog/resolve_table.h"
#include "engine/statements/commands/command_function.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

Value OptionalText(const std::optional<std::string>& text) {
  return text ? Value(*text) : Value(LogicalType::VARCHAR);
}

Value Instant(std::optional<int64_t> millis) {
  if (!millis) return Value(LogicalType::TIMESTAMP_TZ);
  return Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(*millis * 1000));
}

Value TextMap(const delta::StringMap& map) {
  duckdb::vector<Value> keys;
  duckdb::vector<Value> values;
  for (const auto& [key, value] : map) {
    keys.emplace_back(key);
    values.emplace_back(value);
  }
  return Value::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR, std::move(keys), std::move(values));
}

Result<std::vector<std::string>> ClusteringColumns(const delta::Snapshot& snapshot) {
  WEIR_ASSIGN_OR_RETURN(const auto physical, delta::ClusteringColumnsOf(snapshot.domains()));
  std::vector<std::string> columns;
  for (const auto& path : delta::LogicalClusteringColumns(*snapshot.schema(), physical))
    columns.push_back(delta::JoinColumnPath(path));
  return columns;
}

std::vector<std::string> Features(const delta::Protocol& protocol) {
  std::vector<std::string> features = protocol.reader_features.value_or(std::vector<std::string>{});
  for (const std::string& feature : protocol.writer_features.value_or(std::vector<std::string>{})) {
    if (std::find(features.begin(), features.end(), feature) == features.end())
      features.push_back(feature);
  }
  std::sort(features.begin(), features.end());
  return features;
}

Result<CommandRows> Run(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const ResolvedTable table,
                        ResolveTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  const delta::SnapshotPtr& snapshot = table.state->snapshot();
  if (!snapshot) {
    return Fail(InvalidArgument(
        "WEIR_TABLE_NOT_COMMITTED",
        table.name + " is created by this transaction; COMMIT before asking for its details"));
  }
  const delta::Metadata& metadata = snapshot->metadata();
  WEIR_ASSIGN_OR_RETURN(const auto clustering_columns, ClusteringColumns(*snapshot));
  CommandRows rows;
  rows.push_back(
      {Value(metadata.format_provider == "parquet" ? "delta" : metadata.format_provider),
       Value(metadata.id),
       OptionalText(metadata.name ? metadata.name : std::optional<std::string>(table.entry->name)),
       OptionalText(metadata.description), Value(snapshot->log().root),
       Instant(metadata.created_time), Instant(snapshot->timestamp_ms()),
       TextListValue(metadata.partition_columns), TextListValue(clustering_columns),
       Value::BIGINT(static_cast<int64_t>(snapshot->files().size())),
       Value::BIGINT(snapshot->files().total_size()), TextMap(metadata.configuration),
       Value::INTEGER(snapshot->protocol().min_reader_version),
       Value::INTEGER(snapshot->protocol().min_writer_version),
       TextListValue(Features(snapshot->protocol()))});
  return rows;
}

}  // namespace

CommandFunction DetailCommand() {
  const auto text_list = LogicalType::LIST(LogicalType::VARCHAR);
  return {"weir_detail",
          {LogicalType::VARCHAR},
          {},
          {{"format", LogicalType::VARCHAR},
           {"id", LogicalType::VARCHAR},
           {"name", LogicalType::VARCHAR},
           {"description", LogicalType::VARCHAR},
           {"location", LogicalType::VARCHAR},
           {"createdAt", LogicalType::TIMESTAMP_TZ},
           {"lastModified", LogicalType::TIMESTAMP_TZ},
           {"partitionColumns", text_list},
           {"clusteringColumns", text_list},
           {"numFiles", LogicalType::BIGINT},
           {"sizeInBytes", LogicalType::BIGINT},
           {"properties", LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR)},
           {"minReaderVersion", LogicalType::INTEGER},
           {"minWriterVersion", LogicalType::INTEGER},
           {"tableFeatures", text_list}},
          Run};
}

}  // namespace weir::engine
