// SPDX-License-Identifier: Apache-2.0
#include "engine/sink/statement_predicate.h"

#include "duckdb/main/client_context.hpp"
#include "duckdb/parser/parser.hpp"
#include "duckdb/parser/statement/delete_statement.hpp"
#include "duckdb/parser/statement/merge_into_statement.hpp"
#include "duckdb/parser/statement/update_statement.hpp"

#include "engine/statements/spark/translate.h"

namespace weir::engine {
namespace {

const duckdb::ParsedExpression* ConditionOf(const duckdb::SQLStatement& statement) {
  switch (statement.type) {
    case duckdb::StatementType::DELETE_STATEMENT:
      return statement.Cast<duckdb::DeleteStatement>().condition.get();
    case duckdb::StatementType::UPDATE_STATEMENT:
      return statement.Cast<duckdb::UpdateStatement>().set_info->condition.get();
    case duckdb::StatementType::MERGE_INTO_STATEMENT:
      return statement.Cast<duckdb::MergeIntoStatement>().join_condition.get();
    default:
      return nullptr;
  }
}

}  // namespace

std::string PredicateOf(duckdb::ClientContext& context) {
  try {
    const std::string query = context.GetCurrentQuery();
    const auto translated = TranslateStatement(query);
    if (!translated) return {};
    duckdb::Parser parser(context.GetParserOptions());
    parser.ParseQuery(translated->value_or(query));
    if (parser.statements.size() != 1) return {};
    const auto* condition = ConditionOf(*parser.statements.front());
    return condition ? condition->ToString() : std::string();
  } catch (const duckdb::Exception&) {
    return {};
  }
}

}  // namespace weir::engine
