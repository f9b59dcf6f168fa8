// SPDX-License-Identifier: Apache-2.0
#include "engine/statements/spark/translate.h"

#include "engine/statements/spark/translators.h"

namespace weir::engine {
namespace {

using sql::TokenReader;

struct StatementRule {
  sql::Keywords first_words;
  bool (*applies)(const TokenReader&);  // null: the first words tell.
  Result<std::string> (*translate)(TokenReader&);
};

// The first rule that fits is taken.
constexpr StatementRule kRules[] = {
    {{"CREATE"}, spark::IsClone, spark::TranslateClone},
    {{"CREATE"}, spark::IsSparkCreateTable, spark::TranslateCreateTable},
    {{"REPLACE", "TABLE"}, nullptr, spark::TranslateCreateTable},
    {{"ALTER", "TABLE"}, spark::IsSparkAlterTable, spark::TranslateAlterTable},
    {{"DESCRIBE", "HISTORY"}, nullptr, spark::TranslateDescribeHistory},
    {{"DESC", "HISTORY"}, nullptr, spark::TranslateDescribeHistory},
    {{"DESCRIBE", "DETAIL"}, nullptr, spark::TranslateDescribeDetail},
    {{"DESC", "DETAIL"}, nullptr, spark::TranslateDescribeDetail},
    {{"DESCRIBE", "TABLE"}, nullptr, spark::TranslateDescribeTable},
    {{"DESCRIBE", "EXTENDED"}, nullptr, spark::TranslateDescribeTable},
    {{"DESCRIBE", "FORMATTED"}, nullptr, spark::TranslateDescribeTable},
    {{"DESC", "TABLE"}, nullptr, spark::TranslateDescribeTable},
    {{"DESC", "EXTENDED"}, nullptr, spark::TranslateDescribeTable},
    {{"DESC", "FORMATTED"}, nullptr, spark::TranslateDescribeTable},
    {{"SHOW", "TBLPROPERTIES"}, nullptr, spark::TranslateShowProperties},
    {{"OPTIMIZE"}, nullptr, spark::TranslateOptimize},
    {{"VACUUM"}, nullptr, spark::TranslateVacuum},
    {{"RESTORE"}, nullptr, spark::TranslateRestore},
    {{"REORG", "TABLE"}, nullptr, spark::TranslateReorg},
    {{"CONVERT", "TO", "DELTA"}, nullptr, spark::TranslateConvert},
    {{"GENERATE"}, nullptr, spark::TranslateGenerate},
    {{"UNDROP"}, nullptr, spark::TranslateUndrop},
    {{"SET"}, spark::IsSetDefaultProperty, spark::TranslateSetDefaultProperty},
    {{"SET"}, spark::IsSetKnown, spark::TranslateSetKnown},
};

}  // namespace

Result<std::optional<std::string>> TranslateStatement(std::string_view statement,
                                                      bool evolves_schema) {
  auto tokens = sql::Tokenize(statement);
  if (!tokens) return std::nullopt;  // An open quote: DuckDB points at it better.
  TokenReader reader(statement, std::move(*tokens), "");
  for (const StatementRule& rule : kRules) {
    if (!reader.LooksAt(rule.first_words)) continue;
    if (rule.applies != nullptr && !rule.applies(reader)) continue;
    WEIR_ASSIGN_OR_RETURN(std::string translated, rule.translate(reader));
    return translated;
  }
  WEIR_ASSIGN_OR_RETURN(std::string rewritten,
                        spark::RewriteRowStatement(spark::RewriteText(statement), evolves_schema));
  if (rewritten == statement) return std::nullopt;
  return rewritten;
}

}  // namespace weir::engine
