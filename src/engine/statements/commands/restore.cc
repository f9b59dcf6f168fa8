// SPDX-License-Identifier: Apache-2.0
//
// RESTORE t TO VERSION AS OF n | TIMESTAMP AS OF '...'.
#include "delta/maintenance/restore.h"

#include "duckdb.hpp"

#include "engine/catalog/at_clause.h"
#include "engine/statements/commands/command_function.h"
#include "engine/statements/commands/committed_table.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

// Spark's columns, and the metric that each shows.
constexpr std::pair<const char*, const char*> kColumns[] = {
    {"table_size_after_restore", "tableSizeAfterRestore"},
    {"num_of_files_after_restore", "numOfFilesAfterRestore"},
    {"num_removed_files", "numRemovedFiles"},
    {"num_restored_files", "numRestoredFiles"},
    {"removed_files_size", "removedFilesSize"},
    {"restored_files_size", "restoredFilesSize"}};

Result<CommandRows> Run(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const ResolvedTable table,
                        CommittedTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  const delta::SnapshotPtr& current = table.state->snapshot();
  const Value* version = arguments.Find("version");
  const Value* timestamp = arguments.Find("timestamp");
  if ((version == nullptr) == (timestamp == nullptr)) {
    return Fail(InvalidArgument("WEIR_RESTORE_NEEDS_ONE_TARGET",
                                "RESTORE needs either a version or a timestamp"));
  }
  WEIR_ASSIGN_OR_RETURN(const delta::TimeTravel at, version
                                                        ? ParseAtClause("version", *version)
                                                        : ParseAtClause("timestamp", *timestamp));
  WEIR_ASSIGN_OR_RETURN(const delta::SnapshotPtr target, delta::Snapshot::Load(current->log(), at));
  JsonValue parameters = JsonValue::Object();
  parameters.Set("version",
                 version ? JsonValue::String(std::to_string(target->version())) : JsonValue());
  parameters.Set("timestamp", timestamp ? JsonValue::String(timestamp->ToString()) : JsonValue());
  WEIR_ASSIGN_OR_RETURN(const delta::RestoreResult result,
                        delta::Restore(current, *target, std::move(parameters)));
  CommandRows rows(1);
  for (const auto& [column, metric] : kColumns)
    rows[0].push_back(Value::BIGINT(result.metrics.at(metric)));
  return rows;
}

}  // namespace

CommandFunction RestoreCommand() {
  CommandFunction command{"weir_restore",
                          {LogicalType::VARCHAR},
                          {{"version", LogicalType::BIGINT}, {"timestamp", LogicalType::VARCHAR}},
                          {},
                          Run};
  for (const auto& [column, metric] : kColumns)
    command.columns.push_back({column, LogicalType::BIGINT});
  return command;
}

}  // namespace weir::engine
