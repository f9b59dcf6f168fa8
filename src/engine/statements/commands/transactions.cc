// SPDX-License-Identifier: Apache-2.0
//
// weir_transactions('t'): the applications that have recorded their progress in the table's `txn`
// actions, each with the last version it wrote. With the settings weir_txn_app_id and
// weir_txn_version an application records its own.
#include "duckdb.hpp"

#include "engine/catalog/resolve_table.h"
#include "engine/statements/commands/command_function.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

Result<CommandRows> Run(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const ResolvedTable table,
                        ResolveTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  CommandRows rows;
  if (!table.state->snapshot()) return rows;
  for (const auto& [app_id, transaction] : table.state->snapshot()->transactions()) {
    rows.push_back({Value(app_id), Value::BIGINT(transaction.version)});
  }
  return rows;
}

}  // namespace

CommandFunction TransactionsCommand() {
  return {"weir_transactions",
          {LogicalType::VARCHAR},
          {},
          {{"app_id", LogicalType::VARCHAR}, {"version", LogicalType::BIGINT}},
          Run};
}

}  // namespace weir::engine
