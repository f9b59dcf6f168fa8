// SPDX-License-Identifier: Apache-2.0
//
// SHOW TBLPROPERTIES: the table's properties, sorted by key, and with them the protocol, as Spark
// shows it.
#include <algorithm>

#include "duckdb.hpp"

#include "engine/catalog/resolve_table.h"
#include "engine/statements/commands/command_function.h"
#include "engine/statements/commands/shown_properties.h"

namespace weir::engine {

delta::StringMap ShownProperties(const TableState& state) {
  delta::StringMap properties = state.metadata().configuration;
  const delta::Protocol& protocol = state.protocol();
  properties["delta.minReaderVersion"] = std::to_string(protocol.min_reader_version);
  properties["delta.minWriterVersion"] = std::to_string(protocol.min_writer_version);
  for (const auto& features : {protocol.reader_features, protocol.writer_features}) {
    if (!features) continue;
    for (const std::string& feature : *features)
      properties["delta.feature." + feature] = "supported";
  }
  return properties;
}

namespace {

using duckdb::LogicalType;
using duckdb::Value;

Result<CommandRows> Run(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const ResolvedTable table,
                        ResolveTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  const std::string wanted = arguments.Text("key");
  const delta::StringMap properties = ShownProperties(*table.state);
  CommandRows rows;
  if (!wanted.empty() && properties.count(wanted) == 0) {
    rows.push_back(
        {Value(wanted), Value("Table " + table.name + " does not have property: " + wanted)});
    return rows;
  }
  for (const auto& [key, value] : properties) {
    if (wanted.empty() || key == wanted) rows.push_back({Value(key), Value(value)});
  }
  return rows;
}

}  // namespace

CommandFunction PropertiesCommand() {
  return {"weir_properties",
          {LogicalType::VARCHAR},
          {{"key", LogicalType::VARCHAR}},
          {{"key", LogicalType::VARCHAR}, {"value", LogicalType::VARCHAR}},
          Run};
}

}  // namespace weir::engine
