// SPDX-License-Identifier: Apache-2.0
#include "engine/write/table_expression.h"

#include <utility>

#include "duckdb/parser/expression/columnref_expression.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/expression/function_expression.hpp"
#include "duckdb/parser/parsed_expression_iterator.hpp"
#include "duckdb/planner/binder.hpp"
#include "duckdb/planner/expression_binder/check_binder.hpp"

#include "base/text.h"
#include "delta/features/features.h"
#include "engine/duckdb_errors.h"
#include "engine/write/spark_functions.h"
#include "engine/write/spark_sql.h"

namespace weir::engine {
namespace {

constexpr const char* kConstraintPrefix = "delta.constraints.";
constexpr const char* kInvariants = "delta.invariants";
constexpr const char* kGenerationExpression = "delta.generationExpression";

// DuckDB's binder of CHECK takes s.a for column a of table s: fields of structs are spelled out for
// it, and the table's own name is taken off.
void SpellOutFields(duckdb::unique_ptr<duckdb::ParsedExpression>& expression,
                    const WeirTableEntry& table) {
  duckdb::ParsedExpressionIterator::EnumerateChildren(
      *expression,
      [&](duckdb::unique_ptr<duckdb::ParsedExpression>& child) { SpellOutFields(child, table); });
  if (expression->GetExpressionClass() != duckdb::ExpressionClass::COLUMN_REF) return;
  auto names = expression->Cast<duckdb::ColumnRefExpression>().column_names;
  if (names.size() > 1 && !table.GetColumns().ColumnExists(names[0]) &&
      EqualsIgnoreCase(names[0], table.name)) {
    names.erase(names.begin());
  }
  if (!table.GetColumns().ColumnExists(names[0])) return;
  expression = duckdb::make_uniq<duckdb::ColumnRefExpression>(names[0]);
  for (size_t i = 1; i < names.size(); i++) {
    duckdb::vector<duckdb::unique_ptr<duckdb::ParsedExpression>> arguments;
    arguments.push_back(std::move(expression));
    arguments.push_back(duckdb::make_uniq<duckdb::ConstantExpression>(duckdb::Value(names[i])));
    expression =
        duckdb::make_uniq<duckdb::FunctionExpression>("struct_extract", std::move(arguments));
  }
}

duckdb::unique_ptr<duckdb::Expression> Bind(duckdb::ClientContext& context,
                                            const WeirTableEntry& table, const std::string& what,
                                            const std::string& text,
                                            const duckdb::LogicalType& type,
                                            decltype(&ParseSpark) parse = ParseSpark) {
  try {
    return BindOverColumns(context, table, parse(text), type);
  } catch (const duckdb::Exception& error) {
    Throw(UnsupportedFeature("DELTA_UNSUPPORTED_EXPRESSION",
                             what + " of table " + table.name + " is written as: " + text +
                                 "; this cannot be evaluated here (" +
                                 duckdb::ErrorData(error).RawMessage() +
                                 "), so the table cannot be written",
                             "0A000"));
  }
}

bool IsActive(delta::Feature feature, const TableState& state) {
  return delta::IsActive(feature, state.protocol(), state.metadata(), *state.schema());
}

}  // namespace

duckdb::unique_ptr<duckdb::Expression> BindOverColumns(
    duckdb::ClientContext& context, const WeirTableEntry& table,
    duckdb::unique_ptr<duckdb::ParsedExpression> parsed, const duckdb::LogicalType& type) {
  SpellOutFields(parsed, table);
  auto binder = duckdb::Binder::CreateBinder(context);
  duckdb::physical_index_set_t columns;
  duckdb::CheckBinder check(*binder, context, table.name, table.GetColumns(), columns);
  check.target_type = type;  // Its own, for CHECK, is INTEGER.
  return check.Bind(parsed);
}

std::string InvariantText(const std::string& json) {
  auto parsed = JsonValue::Parse(json);
  const JsonValue* outer = parsed ? parsed->Find("expression") : nullptr;
  const JsonValue* inner = outer ? outer->Find("expression") : nullptr;
  return inner && inner->is_string() ? inner->text() : json;
}

bool IsGenerated(const delta::StructField& field) {
  return field.MetadataText(kGenerationExpression) != nullptr;
}

std::vector<RowRule> BindRowRules(duckdb::ClientContext& context, const WeirTableEntry& table) {
  const auto& state = *table.state();
  std::vector<RowRule> rules;
  const auto add = [&](std::string name, const std::string& what, const std::string& text,
                       const std::string& sql) {
    RowRule rule;
    rule.name = std::move(name);
    rule.text = text;
    rule.condition = Bind(context, table, what, sql, duckdb::LogicalType::BOOLEAN);
    rules.push_back(std::move(rule));
  };
  if (IsActive(delta::Feature::kCheckConstraints, state)) {
    for (const auto& [key, text] : state.metadata().configuration) {
      if (!StartsWith(key, kConstraintPrefix)) continue;
      const std::string name = key.substr(std::string_view(kConstraintPrefix).size());
      add(name, "CHECK constraint " + name, text, text);
    }
  }
  const bool has_generated = IsActive(delta::Feature::kGeneratedColumns, state);
  for (const auto& field : state.schema()->fields()) {
    if (const auto* invariant = field.MetadataText(kInvariants)) {
      const std::string text = InvariantText(*invariant);
      add(field.name, "the invariant of column " + field.name, text, text);
    }
    if (const auto* text = has_generated ? field.MetadataText(kGenerationExpression) : nullptr) {
      add("Generated Column", "generated column " + field.name, field.name + " <=> " + *text,
          InSparkSql(QuoteIdentifier(field.name)) + " IS NOT DISTINCT FROM (" + *text + ")");
    }
  }
  return rules;
}

RowRule BindReplaceCondition(duckdb::ClientContext& context, const WeirTableEntry& table,
                             const std::string& condition) {
  RowRule rule;
  rule.error = "DELTA_REPLACE_WHERE_MISMATCH";
  rule.name = "REPLACE WHERE";
  rule.text = condition;
  rule.condition = Bind(context, table, "the condition of REPLACE WHERE", condition,
                        duckdb::LogicalType::BOOLEAN, ParseDuckDB);
  return rule;
}

std::vector<GeneratedColumn> BindGeneratedColumns(duckdb::ClientContext& context,
                                                  const WeirTableEntry& table) {
  const auto& state = *table.state();
  std::vector<GeneratedColumn> result;
  if (!IsActive(delta::Feature::kGeneratedColumns, state)) return result;
  const auto& fields = state.schema()->fields();
  for (size_t i = 0; i < fields.size(); i++) {
    const auto* text = fields[i].MetadataText(kGenerationExpression);
    if (!text) continue;
    const auto type = table.GetColumn(duckdb::LogicalIndex(i)).Type();
    result.push_back({i, Bind(context, table, "generated column " + fields[i].name, *text, type)});
  }
  return result;
}

}  // namespace weir::engine
