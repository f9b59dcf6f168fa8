// SPDX-License-Identifier: Apache-2.0
#include "engine/statements/parser_extension.h"

#include <utility>

#include "duckdb.hpp"
#include "duckdb/main/client_context_state.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/parser/parser_extension.hpp"
#include "duckdb/planner/binder.hpp"
#include "duckdb/planner/operator/logical_extension_operator.hpp"
#include "duckdb/planner/operator_extension.hpp"

#include "base/text.h"
#include "engine/duckdb_errors.h"
#include "engine/statements/insert_partitions.h"
#include "engine/statements/prepare_write.h"
#include "engine/statements/spark/translate.h"

namespace weir::engine {
namespace {

struct TranslatedStatement final : duckdb::ParserExtensionParseData {
  explicit TranslatedStatement(duckdb::unique_ptr<duckdb::SQLStatement> statement)
      : statement(std::move(statement)) {}

  duckdb::unique_ptr<duckdb::ParserExtensionParseData> Copy() const override {
    return duckdb::make_uniq<TranslatedStatement>(statement->Copy());
  }
  duckdb::string ToString() const override { return statement->ToString(); }

  duckdb::unique_ptr<duckdb::SQLStatement> statement;
};

// DuckDB lets a parser extension plan a table function only. A whole statement is bound by the
// operator extension, which is asked when planning throws; the statement waits here in between.
struct WaitingStatement final : duckdb::ClientContextState {
  static constexpr const char* kKey = "weir_waiting_statement";

  duckdb::unique_ptr<duckdb::SQLStatement> statement;
};

duckdb::ParserExtensionParseResult ParseStatement(duckdb::ParserExtensionInfo*,
                                                  const duckdb::string& query) {
  const auto translated = TranslateStatement(query);
  if (!translated) return duckdb::ParserExtensionParseResult(translated.error().ToString());
  if (!translated->has_value()) return {};
  duckdb::Parser parser;
  try {
    parser.ParseQuery(**translated);
  } catch (const std::exception&) {
    return {};  // DuckDB's own error points into the user's text.
  }
  if (parser.statements.size() != 1) return {};
  return duckdb::ParserExtensionParseResult(
      duckdb::make_uniq<TranslatedStatement>(std::move(parser.statements.front())));
}

duckdb::ParserExtensionPlanResult PlanStatement(
    duckdb::ParserExtensionInfo*, duckdb::ClientContext& context,
    duckdb::unique_ptr<duckdb::ParserExtensionParseData> parse_data) {
  auto waiting = context.registered_state->GetOrCreate<WaitingStatement>(WaitingStatement::kKey);
  waiting->statement = std::move(static_cast<TranslatedStatement&>(*parse_data).statement);
  throw duckdb::BinderException("a statement of Weir's is bound as a whole");
}

duckdb::BoundStatement BindWaiting(duckdb::ClientContext& context, duckdb::Binder& binder,
                                   duckdb::OperatorExtensionInfo*,
                                   duckdb::SQLStatement& statement) {
  if (statement.type != duckdb::StatementType::EXTENSION_STATEMENT) {
    // The lookup of a pending target has thrown, before the statement was touched.
    if (!PrepareWrite(context, binder, statement)) return {};
    return duckdb::Binder::CreateBinder(context, &binder)->Bind(statement);
  }
  auto waiting = context.registered_state->Get<WaitingStatement>(WaitingStatement::kKey);
  if (!waiting || !waiting->statement) return {};
  const auto translated = std::move(waiting->statement);
  PrepareWrite(context, binder, *translated);
  return duckdb::Binder::CreateBinder(context, &binder)->Bind(*translated);
}

void CheckPartitionOverwriteMode(duckdb::ClientContext&, duckdb::SetScope, duckdb::Value& value) {
  const std::string mode = value.IsNull() ? "" : value.ToString();
  if (EqualsIgnoreCase(mode, "static") || EqualsIgnoreCase(mode, "dynamic")) return;
  Throw(InvalidArgument(
      "WEIR_INVALID_SETTING",
      std::string(kPartitionOverwriteMode) + " is 'static' or 'dynamic', not '" + mode + "'"));
}

class StatementBinder final : public duckdb::OperatorExtension {
 public:
  StatementBinder() { Bind = BindWaiting; }
  std::string GetName() override { return "weir_statements"; }
  duckdb::unique_ptr<duckdb::LogicalExtensionOperator> Deserialize(duckdb::Deserializer&) override {
    return nullptr;
  }
};

}  // namespace

void RegisterStatements(duckdb::DBConfig& config) {
  config.AddExtensionOption(kSchemaAutoMerge,
                            "Whether every INSERT and MERGE evolves the schema of its table, as "
                            "WITH SCHEMA EVOLUTION does",
                            duckdb::LogicalType(duckdb::LogicalTypeId::BOOLEAN),
                            duckdb::Value::BOOLEAN(false));
  config.AddExtensionOption(
      kPartitionOverwriteMode,
      "What INSERT OVERWRITE of a partitioned table replaces: 'static' for all rows (or the "
      "partitions that PARTITION names), 'dynamic' for the partitions that new rows fall into",
      duckdb::LogicalType(duckdb::LogicalTypeId::VARCHAR), duckdb::Value("static"),
      CheckPartitionOverwriteMode);
  duckdb::ParserExtension parser;
  parser.parse_function = ParseStatement;
  parser.plan_function = PlanStatement;
  duckdb::ParserExtension::Register(config, parser);
  duckdb::OperatorExtension::Register(config, duckdb::make_shared_ptr<StatementBinder>());
}

}  // namespace weir::engine
