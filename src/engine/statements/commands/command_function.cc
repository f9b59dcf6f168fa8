// SPDX-License-Identifier: Apache-2.0
#include "engine/statements/commands/command_function.h"

#include <memory>
#include <utility>

#include "duckdb.hpp"

#include "engine/duckdb_errors.h"
#include "engine/maintenance/curve_key.h"
#include "engine/maintenance/ordered_rows.h"

namespace weir::engine {
namespace {

struct CommandInfo final : duckdb::TableFunctionInfo {
  explicit CommandInfo(CommandFunction command) : command(std::move(command)) {}
  const CommandFunction command;
};

struct CommandBindData final : duckdb::TableFunctionData {
  // Belongs to the function in the system catalog, which nobody can drop.
  const CommandFunction* command = nullptr;
  CommandArguments arguments;
};

struct CommandState final : duckdb::GlobalTableFunctionState {
  CommandRows rows;
  size_t next = 0;
  bool has_run = false;
};

duckdb::unique_ptr<duckdb::FunctionData> BindCommand(duckdb::ClientContext&,
                                                     duckdb::TableFunctionBindInput& input,
                                                     duckdb::vector<duckdb::LogicalType>& types,
                                                     duckdb::vector<duckdb::string>& names) {
  auto data = duckdb::make_uniq<CommandBindData>();
  data->command = &input.info->Cast<CommandInfo>().command;
  data->arguments = {input.inputs, input.named_parameters};
  for (const duckdb::Value& argument : input.inputs) {
    if (!argument.IsNull()) continue;
    Throw(InvalidArgument("WEIR_INVALID_ARGUMENT",
                          data->command->name + ": NULL where the statement needs a value"));
  }
  for (const auto& column : data->command->columns) {
    types.push_back(column.type);
    names.push_back(column.name);
  }
  return data;
}

duckdb::unique_ptr<duckdb::GlobalTableFunctionState> InitCommand(duckdb::ClientContext&,
                                                                 duckdb::TableFunctionInitInput&) {
  return duckdb::make_uniq<CommandState>();
}

void RunCommand(duckdb::ClientContext& context, duckdb::TableFunctionInput& input,
                duckdb::DataChunk& output) {
  const auto& data = input.bind_data->Cast<CommandBindData>();
  auto& state = input.global_state->Cast<CommandState>();
  if (!state.has_run) {
    state.rows = OrThrow(data.command->run(context, data.arguments));
    state.has_run = true;
  }
  duckdb::idx_t count = 0;
  for (; count < STANDARD_VECTOR_SIZE && state.next < state.rows.size(); ++count, ++state.next) {
    const auto& row = state.rows[state.next];
    for (duckdb::idx_t column = 0; column < row.size(); ++column)
      output.SetValue(column, count, row[column]);
  }
  output.SetCardinality(count);
}

}  // namespace

const duckdb::Value* CommandArguments::Find(const std::string& name) const {
  const auto it = named.find(name);
  return it == named.end() || it->second.IsNull() ? nullptr : &it->second;
}

bool CommandArguments::Flag(const std::string& name) const {
  const duckdb::Value* value = Find(name);
  return value != nullptr && duckdb::BooleanValue::Get(*value);
}

std::string CommandArguments::Text(const std::string& name) const {
  const duckdb::Value* value = Find(name);
  return value == nullptr ? std::string() : duckdb::StringValue::Get(*value);
}

void RegisterCommand(duckdb::ExtensionLoader& loader, CommandFunction command) {
  duckdb::TableFunction function(command.name, command.positional, RunCommand, BindCommand,
                                 InitCommand);
  function.named_parameters = command.named;
  function.function_info = duckdb::make_shared_ptr<CommandInfo>(std::move(command));
  loader.RegisterFunction(function);
}

duckdb::Value TextListValue(const std::vector<std::string>& texts) {
  duckdb::vector<duckdb::Value> values(texts.begin(), texts.end());
  return duckdb::Value::LIST(duckdb::LogicalType::VARCHAR, std::move(values));
}

void RegisterCommands(duckdb::ExtensionLoader& loader) {
  auto& config = duckdb::DBConfig::GetConfig(loader.GetDatabaseInstance());
  config.AddExtensionOption(kVacuumRetentionCheck,
                            "Whether VACUUM refuses a retention below the table's own",
                            duckdb::LogicalType::BOOLEAN, duckdb::Value::BOOLEAN(true));
  config.AddExtensionOption(kVacuumLogging,
                            "Whether VACUUM adds the commits VACUUM START and VACUUM END",
                            duckdb::LogicalType::BOOLEAN, duckdb::Value::BOOLEAN(true));
  for (auto make : {AddColumnsCommand,      AddConstraintCommand,
                    AlterColumnCommand,     CheckCommand,
                    CheckpointCommand,      CloneCommand,
                    CompactLogCommand,      ConvertCommand,
                    DescribeCommand,        DetailCommand,
                    DropColumnsCommand,     DropConstraintCommand,
                    DropFeatureCommand,     RemoveColumnMappingCommand,
                    GenerateCommand,        HistoryCommand,
                    OptimizeCommand,        PropertiesCommand,
                    ReorgCommand,           RestoreCommand,
                    SetPropertiesCommand,   SyncIdentityCommand,
                    TableFeaturesCommand,   TransactionsCommand,
                    UnsetPropertiesCommand, UpgradeUniformCommand,
                    VacuumCommand})
    RegisterCommand(loader, make());
  RegisterCurveKey(loader);
  RegisterFilesScan(loader);
}

}  // namespace weir::engine
