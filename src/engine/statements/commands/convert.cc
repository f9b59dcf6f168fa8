// SPDX-License-Identifier: Apache-2.0
//
// CONVERT TO DELTA parquet.`/path` [NO STATISTICS] [PARTITIONED BY (name type, ...)]: the folder
// gets a log that names its files; no data file is written or moved.
#include "duckdb.hpp"

#include "base/uuid.h"
#include "delta/commit/transaction.h"
#include "delta/features/protocol_for.h"
#include "engine/catalog/resolve_table.h"
#include "engine/maintenance/parquet_folder.h"
#include "engine/statements/commands/command_function.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

ParquetFolderOptions Options(const CommandArguments& arguments) {
  ParquetFolderOptions options;
  if (const Value* statistics = arguments.Find("statistics"))
    options.statistics = duckdb::BooleanValue::Get(*statistics);
  if (const Value* partitions = arguments.Find("partitioned_by")) {
    options.partitions.emplace();
    for (const Value& entry : duckdb::MapValue::GetChildren(*partitions)) {
      const auto& pair = duckdb::StructValue::GetChildren(entry);
      options.partitions->emplace_back(pair[0].ToString(), pair[1].ToString());
    }
  }
  return options;
}

JsonValue Parameters(const ParquetFolder& folder, const ParquetFolderOptions& options) {
  std::vector<JsonValue> partitions;
  for (const std::string& name : folder.partition_columns)
    partitions.push_back(JsonValue::String(name));
  JsonValue parameters = JsonValue::Object();
  parameters.Set("numFiles", JsonValue::Int(static_cast<int64_t>(folder.files.size())));
  parameters.Set("partitionedBy",
                 JsonValue::String(JsonValue::Array(std::move(partitions)).ToString()));
  parameters.Set("collectStats", JsonValue::Bool(options.statistics));
  parameters.Set("sourceFormat", JsonValue::String("parquet"));
  return parameters;
}

Status CommitConversion(const delta::TableLog& log, ParquetFolder folder, JsonValue parameters) {
  WEIR_ASSIGN_OR_RETURN(const auto transaction, delta::Transaction::BeginCreate(log));
  delta::Metadata metadata;
  metadata.id = Uuid::Random().ToString();
  metadata.schema_string = folder.schema->ToJson();
  metadata.partition_columns = std::move(folder.partition_columns);
  metadata.created_time = log.clock->NowMillis();
  WEIR_ASSIGN_OR_RETURN(delta::Protocol protocol,
                        delta::ProtocolFor(metadata, *folder.schema, nullptr));
  transaction->SetOperation("CONVERT", std::move(parameters));
  transaction->SetMetrics({{"numConvertedFiles", static_cast<int64_t>(folder.files.size())}});
  transaction->Add(std::move(protocol));
  transaction->Add(std::move(metadata));
  for (delta::AddFile& file : folder.files) transaction->Add(std::move(file));
  return transaction->Commit().map([](const delta::CommitResult&) {});
}

Result<CommandRows> Run(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(
      const TablePlace place,
      ResolvePlace(context,
                   storage::NormalizeLocation(duckdb::StringValue::Get(arguments.positional[0]))));
  const std::string& root = place.log.root;
  if (place.exists) return CommandRows{{Value(root), Value::BIGINT(0)}};  // A table already.
  const ParquetFolderOptions options = Options(arguments);
  WEIR_ASSIGN_OR_RETURN(ParquetFolder folder,
                        ReadParquetFolder(context, *place.log.store, root, options));
  JsonValue parameters = Parameters(folder, options);
  const auto count = static_cast<int64_t>(folder.files.size());
  WEIR_RETURN_IF_ERROR(CommitConversion(place.log, std::move(folder), std::move(parameters)));
  return CommandRows{{Value(root), Value::BIGINT(count)}};
}

}  // namespace

CommandFunction ConvertCommand() {
  return {"weir_convert",
          {LogicalType::VARCHAR},
          {{"statistics", LogicalType::BOOLEAN},
           {"partitioned_by", LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR)}},
          {{"path", LogicalType::VARCHAR}, {"numConvertedFiles", LogicalType::BIGINT}},
          Run};
}

}  // namespace weir::engine
