// SPDX-License-Identifier: Apache-2.0
//
// CREATE [OR REPLACE] TABLE t [SHALLOW | DEEP] CLONE s [VERSION | TIMESTAMP AS OF ...].
#include "delta/maintenance/clone.h"

#include "duckdb.hpp"

#include "base/sql/token_reader.h"
#include "base/text.h"
#include "delta/features/properties.h"
#include "delta/features/protocol_for.h"
#include "engine/catalog/at_clause.h"
#include "engine/catalog/resolve_table.h"
#include "engine/maintenance/parquet_folder.h"
#include "engine/scan/scan_files.h"
#include "engine/scan/table_scan.h"
#include "engine/statements/commands/command_function.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

// Spark's columns, and the metric that each shows.
constexpr std::pair<const char*, const char*> kColumns[] = {
    {"source_table_size", "sourceTableSize"},   {"source_num_of_files", "sourceNumOfFiles"},
    {"num_removed_files", "numRemovedFiles"},   {"num_copied_files", "numCopiedFiles"},
    {"removed_files_size", "removedFilesSize"}, {"copied_files_size", "copiedFilesSize"}};

// The path behind `parquet.`; empty for a name of another kind.
std::string ParquetPath(const std::string& text) {
  auto tokens = sql::Tokenize(text);
  if (!tokens) return {};
  sql::TokenReader reader(text, std::move(*tokens), "");
  const auto name = reader.ExpectQualifiedName("a table's name");
  const bool is_folder = name && name->parts.size() == 2 &&
                         EqualsIgnoreCase(name->parts[0], "parquet") &&
                         name->last().find('/') != std::string::npos;
  return is_folder ? storage::NormalizeLocation(name->last()) : std::string();
}

Result<delta::CloneSource> ParquetSource(duckdb::ClientContext& context, const std::string& root) {
  delta::CloneSource source;
  source.name = "parquet.`" + root + "`";
  source.root = root;
  WEIR_ASSIGN_OR_RETURN(source.store, storage::OpenStore(root));
  WEIR_ASSIGN_OR_RETURN(ParquetFolder folder,
                        ReadParquetFolder(context, *source.store, root, ParquetFolderOptions()));
  source.metadata.schema_string = folder.schema->ToJson();
  source.metadata.partition_columns = std::move(folder.partition_columns);
  WEIR_ASSIGN_OR_RETURN(source.protocol,
                        delta::ProtocolFor(source.metadata, *folder.schema, nullptr));
  source.files = std::move(folder.files);
  return source;
}

// A deep clone copies files: those alone that the source may be read from.
Status CheckFiles(duckdb::ClientContext& context, const delta::CloneSource& source,
                  const std::string& allowed_root) {
  const bool allow_external = ExternalFilesAllowed(context);
  auto check = [&](const std::string& path) {
    return ResolveDataPath(source.root, path, allowed_root, allow_external);
  };
  for (const delta::AddFile& file : source.files) {
    WEIR_RETURN_IF_ERROR(check(file.path));
    const auto& vector = file.deletion_vector;
    if (vector && vector->storage_type == 'p')
      WEIR_RETURN_IF_ERROR(check(vector->path_or_inline_dv));
  }
  return {};
}

Result<delta::CloneSource> Source(duckdb::ClientContext& context,
                                  const CommandArguments& arguments) {
  const std::string text = duckdb::StringValue::Get(arguments.positional[1]);
  const Value* version = arguments.Find("version");
  const Value* timestamp = arguments.Find("timestamp");
  const bool travels = version != nullptr || timestamp != nullptr;
  if (const std::string path = ParquetPath(text); !path.empty()) {
    if (!travels) return ParquetSource(context, path);
    return Fail(InvalidArgument("DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS",
                                path + " is a folder of Parquet files, which has no versions"));
  }
  WEIR_ASSIGN_OR_RETURN(const TablePlace place, ResolvePlace(context, text));
  delta::TimeTravel at;
  if (travels) {
    WEIR_ASSIGN_OR_RETURN(
        at, version ? ParseAtClause("version", *version) : ParseAtClause("timestamp", *timestamp));
  }
  WEIR_ASSIGN_OR_RETURN(const auto snapshot, delta::Snapshot::Load(place.log, at));
  WEIR_ASSIGN_OR_RETURN(auto source, delta::CloneSource::Of(*snapshot));
  if (!arguments.Flag("shallow"))
    WEIR_RETURN_IF_ERROR(CheckFiles(context, source, place.allowed_root));
  return source;
}

Result<delta::StringMap> Properties(const Value* map) {
  delta::StringMap properties;
  if (map == nullptr) return properties;
  for (const Value& entry : duckdb::MapValue::GetChildren(*map)) {
    const auto& pair = duckdb::StructValue::GetChildren(entry);
    properties[pair[0].ToString()] = pair[1].ToString();
  }
  return delta::NormalizeProperties(properties);
}

CommandRows ResultRows(const std::map<std::string, int64_t>& metrics) {
  CommandRows rows(1);
  for (const auto& [column, metric] : kColumns)
    rows[0].push_back(Value::BIGINT(metrics.at(metric)));
  return rows;
}

Result<CommandRows> Run(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const TablePlace target,
                        ResolvePlace(context, duckdb::StringValue::Get(arguments.positional[0])));
  if (target.is_read_only) {
    return Fail(InvalidArgument("WEIR_READ_ONLY",
                                target.name + " is in a catalog that was attached READ_ONLY"));
  }
  const bool replace = arguments.Flag("replace");
  if (target.exists && arguments.Flag("if_not_exists")) return CommandRows();
  if (target.exists && !replace) {
    return Fail(AlreadyExists(
        "DELTA_TABLE_ALREADY_EXISTS",
        target.name + " is there already; CREATE OR REPLACE TABLE replaces it", "42P07"));
  }
  WEIR_ASSIGN_OR_RETURN(const delta::CloneSource source, Source(context, arguments));
  delta::CloneOptions options;
  options.shallow = arguments.Flag("shallow");
  WEIR_ASSIGN_OR_RETURN(options.properties, Properties(arguments.Find("properties")));
  delta::SnapshotPtr existing;
  if (target.exists) {
    WEIR_ASSIGN_OR_RETURN(existing, delta::Snapshot::Load(target.log));
  }
  WEIR_ASSIGN_OR_RETURN(const delta::CloneResult result,
                        delta::Clone(source, target.log, existing, options));
  return ResultRows(result.metrics);
}

}  // namespace

CommandFunction CloneCommand() {
  CommandFunction command{
      "weir_clone",
      {LogicalType::VARCHAR, LogicalType::VARCHAR},
      {{"shallow", LogicalType::BOOLEAN},
       {"replace", LogicalType::BOOLEAN},
       {"if_not_exists", LogicalType::BOOLEAN},
       {"version", LogicalType::BIGINT},
       {"timestamp", LogicalType::VARCHAR},
       {"properties", LogicalType::MAP(LogicalType::VARCHAR, LogicalType::VARCHAR)}},
      {},
      Run};
  for (const auto& [column, metric] : kColumns)
    command.columns.push_back({column, LogicalType::BIGINT});
  return command;
}

}  // namespace weir::engine
