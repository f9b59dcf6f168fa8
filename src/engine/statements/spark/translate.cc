// SPDX-License-Identifier: Apache-2.0
#include "engine/statements/spark/translate.h"

#include <array>
#include <initializer_list>

#include "engine/statements/spark/translators.h"

namespace weir::engine {
namespace {

using sql::TokenReader;

struct StatementRule {
  std::initializer_list<std::string_view> first_words;
  bool (*applies)(const TokenReader&);  // null: the first words tell.
  Result<std::string> (*translate)(TokenReader&);
};

// The first rule that fits is taken.
const std::array kRules = {
    StatementRule{{"CREATE"}, spark::IsClone, spark::TranslateClone},
    StatementRule{{"CREATE"}, spark::IsSparkCreateTable, spark::TranslateCreateTable},
    StatementRule{{"REPLACE", "TABLE"}, nullptr, spark::TranslateCreateTable},
    StatementRule{{"ALTER", "TABLE"}, spark::IsSparkAlterTable, spark::TranslateAlterTable},
    StatementRule{{"DESCRIBE", "HISTORY"}, nullptr, spark::TranslateDescribeHistory},
    StatementRule{{"DESC", "HISTORY"}, nullptr, spark::TranslateDescribeHistory},
    StatementRule{{"DESCRIBE", "DETAIL"}, nullptr, spark::TranslateDescribeDetail},
    StatementRule{{"DESC", "DETAIL"}, nullptr, spark::TranslateDescribeDetail},
    StatementRule{{"DESCRIBE", "TABLE"}, nullptr, spark::TranslateDescribeTable},
    StatementRule{{"DESCRIBE", "EXTENDED"}, nullptr, spark::TranslateDescribeTable},
    StatementRule{{"DESCRIBE", "FORMATTED"}, nullptr, spark::TranslateDescribeTable},
    StatementRule{{"DESC", "TABLE"}, nullptr, spark::TranslateDescribeTable},
    StatementRule{{"DESC", "EXTENDED"}, nullptr, spark::TranslateDescribeTable},
    StatementRule{{"DESC", "FORMATTED"}, nullptr, spark::TranslateDescribeTable},
    StatementRule{{"SHOW", "TBLPROPERTIES"}, nullptr, spark::TranslateShowProperties},
    StatementRule{{"OPTIMIZE"}, nullptr, spark::TranslateOptimize},
    StatementRule{{"VACUUM"}, nullptr, spark::TranslateVacuum},
    StatementRule{{"RESTORE"}, nullptr, spark::TranslateRestore},
    StatementRule{{"REORG", "TABLE"}, nullptr, spark::TranslateReorg},
    StatementRule{{"CONVERT", "TO", "DELTA"}, nullptr, spark::TranslateConvert},
    StatementRule{{"GENERATE"}, nullptr, spark::TranslateGenerate},
    StatementRule{{"UNDROP"}, nullptr, spark::TranslateUndrop},
    StatementRule{{"SET"}, spark::IsSetDefaultProperty, spark::TranslateSetDefaultProperty},
    StatementRule{{"SET"}, spark::IsSetKnown, spark::TranslateSetKnown},
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
