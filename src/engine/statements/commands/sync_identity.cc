// SPDX-License-Identifier: Apache-2.0
//
// ALTER TABLE t ALTER COLUMN c SYNC IDENTITY: the column goes on counting behind the values that
// are in the table.
#include "duckdb.hpp"
#include "duckdb/main/connection.hpp"

#include "base/text.h"
#include "delta/commit/transaction.h"
#include "delta/identity/identity_columns.h"
#include "engine/statements/commands/command_function.h"
#include "engine/statements/commands/committed_table.h"

namespace weir::engine {
namespace {

using duckdb::LogicalType;
using duckdb::Value;

Result<size_t> FindIdentity(const ResolvedTable& table, const std::string& name) {
  const auto& fields = table.state->schema()->fields();
  for (size_t i = 0; i < fields.size(); i++) {
    if (!EqualsIgnoreCase(fields[i].name, name)) continue;
    if (delta::IsIdentity(fields[i])) return i;
    return Fail(InvalidArgument(
        "DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN",
        "column \"" + name + "\" of table " + table.name + " is no identity column", "429BQ"));
  }
  return Fail(NotFound("DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
                       "table " + table.name + " has no column \"" + name + "\"", "42703"));
}

// The value that was counted last of those in the table; nullopt when there is none.
Result<std::optional<int64_t>> FarthestValue(duckdb::ClientContext& context,
                                             const TableState& state, const std::string& column,
                                             bool is_rising) {
  duckdb::Connection connection(*context.db);
  auto rows = connection.Query("SELECT " + std::string(is_rising ? "max(" : "min(") +
                               QuoteIdentifier(column) + ") FROM weir_scan(" +
                               QuoteLiteral(state.log().root) + ", version => " +
                               std::to_string(state.version()) + ")");
  if (rows->HasError()) return Fail(InternalError(rows->GetError()));
  const Value value = rows->GetValue(0, 0);
  if (value.IsNull()) return std::nullopt;
  return value.GetValue<int64_t>();
}

JsonValue Described(const delta::StructField& field) {
  JsonValue result = JsonValue::Object();
  result.Set("name", JsonValue::String(field.name));
  result.Set("type", JsonValue::String("long"));
  result.Set("nullable", JsonValue::Bool(field.nullable));
  result.Set("metadata", field.metadata);
  return result;
}

Result<CommandRows> Run(duckdb::ClientContext& context, const CommandArguments& arguments) {
  WEIR_ASSIGN_OR_RETURN(const ResolvedTable table,
                        CommittedTable(context, duckdb::StringValue::Get(arguments.positional[0])));
  std::string name = duckdb::StringValue::Get(arguments.positional[1]);
  if (name.size() > 1 && name.front() == '"' && name.back() == '"')
    name = name.substr(1, name.size() - 2);
  WEIR_ASSIGN_OR_RETURN(const size_t column, FindIdentity(table, name));
  const TableState& state = *table.state;
  WEIR_ASSIGN_OR_RETURN(const auto transaction, delta::Transaction::Begin(state.snapshot()));
  transaction->reads().whole_table = true;

  const delta::StructField& field = state.schema()->fields()[column];
  WEIR_ASSIGN_OR_RETURN(const delta::Identity identity, delta::IdentityOf(field));
  WEIR_ASSIGN_OR_RETURN(const auto farthest,
                        FarthestValue(context, state, field.name, identity.step > 0));
  const delta::Identity synced = farthest ? delta::SyncedTo(identity, *farthest) : identity;
  delta::TypePtr schema = state.schema();
  if (synced.high_water_mark)
    schema = delta::WithIdentityMark(schema, column, *synced.high_water_mark);

  delta::Metadata metadata = state.metadata();
  metadata.schema_string = schema->ToJson();
  transaction->Add(std::move(metadata));
  JsonValue parameters = JsonValue::Object();
  parameters.Set("column", JsonValue::String(Described(schema->fields()[column]).ToString()));
  transaction->SetOperation("CHANGE COLUMN", std::move(parameters));
  JsonValue tags = JsonValue::Object();
  tags.Set("delta.identity.schemaUpdate", JsonValue::String("true"));
  transaction->SetCommitInfo("tags", std::move(tags));
  WEIR_ASSIGN_OR_RETURN(const delta::CommitResult commit, transaction->Commit());
  return CommandRows{{Value::BIGINT(commit.version), synced.high_water_mark
                                                         ? Value::BIGINT(*synced.high_water_mark)
                                                         : Value(LogicalType::BIGINT)}};
}

}  // namespace

CommandFunction SyncIdentityCommand() {
  return {"weir_sync_identity",
          {LogicalType::VARCHAR, LogicalType::VARCHAR},
          {},
          {{"version", LogicalType::BIGINT}, {"high_water_mark", LogicalType::BIGINT}},
          Run};
}

}  // namespace weir::engine
