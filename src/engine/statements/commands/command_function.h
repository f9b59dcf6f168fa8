// SPDX-License-Identifier: Apache-2.0
//
// A command is a table function that does its work once, when its rows are first asked for (never
// at bind, which EXPLAIN and PREPARE also do), and returns few rows. Commands of upkeep commit on
// their own, as Spark's do; they are refused in a transaction that has already written to the
// table. Those of ALTER TABLE belong to the running transaction.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "duckdb/common/types/value.hpp"
#include "duckdb/function/table_function.hpp"
#include "duckdb/main/extension/extension_loader.hpp"

#include "base/result.h"

namespace weir::engine {

/// What the statement said.
struct CommandArguments {
  duckdb::vector<duckdb::Value> positional;
  duckdb::named_parameter_map_t named;

  /// The named argument, or null where it was not given (or given as NULL).
  const duckdb::Value* Find(const std::string& name) const;
  bool Flag(const std::string& name) const;
  std::string Text(const std::string& name) const;
};

using CommandRows = duckdb::vector<duckdb::vector<duckdb::Value>>;

/// Describes one command; see the files of this folder for examples.
struct CommandFunction {
  struct Column {
    std::string name;
    duckdb::LogicalType type;
  };

  std::string name;  ///< e.g. "weir_history".
  duckdb::vector<duckdb::LogicalType> positional;
  duckdb::named_parameter_type_map_t named;
  std::vector<Column> columns;
  /// Runs once on the executing thread. Each row must have the types of `columns`.
  std::function<Result<CommandRows>(duckdb::ClientContext&, const CommandArguments&)> run;
};

void RegisterCommand(duckdb::ExtensionLoader& loader, CommandFunction command);

/// The setting (BOOLEAN, true) that keeps VACUUM from retention times below the table's own.
constexpr const char* kVacuumRetentionCheck = "weir_vacuum_retention_check";
/// The setting (BOOLEAN, true) by which VACUUM tells of itself in the log.
constexpr const char* kVacuumLogging = "weir_vacuum_logging";

/// A list of texts, an empty list for none.
duckdb::Value TextListValue(const std::vector<std::string>& texts);

// One per command; each in the file of its name, registered by RegisterCommands.
CommandFunction AddColumnsCommand();
CommandFunction AddConstraintCommand();
CommandFunction AlterColumnCommand();
CommandFunction DescribeCommand();
CommandFunction DropColumnsCommand();
CommandFunction DropConstraintCommand();
CommandFunction CheckCommand();
CommandFunction CheckpointCommand();
CommandFunction CloneCommand();
CommandFunction CompactLogCommand();
CommandFunction ConvertCommand();
CommandFunction GenerateCommand();
CommandFunction HistoryCommand();
CommandFunction DetailCommand();
CommandFunction DropFeatureCommand();
CommandFunction RemoveColumnMappingCommand();
CommandFunction OptimizeCommand();
CommandFunction PropertiesCommand();
CommandFunction ReorgCommand();
CommandFunction RestoreCommand();
CommandFunction SetPropertiesCommand();
CommandFunction SyncIdentityCommand();
CommandFunction TableFeaturesCommand();
CommandFunction TransactionsCommand();
CommandFunction UnsetPropertiesCommand();
CommandFunction UpgradeUniformCommand();
CommandFunction VacuumCommand();

/// Registers all of the above, and their settings.
void RegisterCommands(duckdb::ExtensionLoader& loader);

}  // namespace weir::engine
