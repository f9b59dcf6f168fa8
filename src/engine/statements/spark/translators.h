// SPDX-License-Identifier: Apache-2.0
//
// The translators of the single statements, and the pieces that they share. A translator is called
// with the reader before the statement's first word and gives the DuckDB SQL.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/sql/token_reader.h"

namespace weir::engine::spark {

// One per statement; each in the file of its name.
Result<std::string> TranslateCreateTable(sql::TokenReader& reader);
Result<std::string> TranslateClone(sql::TokenReader& reader);
Result<std::string> TranslateAlterTable(sql::TokenReader& reader);
Result<std::string> TranslateDescribeHistory(sql::TokenReader& reader);
Result<std::string> TranslateDescribeDetail(sql::TokenReader& reader);
Result<std::string> TranslateDescribeTable(sql::TokenReader& reader);
Result<std::string> TranslateShowProperties(sql::TokenReader& reader);
Result<std::string> TranslateOptimize(sql::TokenReader& reader);
Result<std::string> TranslateVacuum(sql::TokenReader& reader);
Result<std::string> TranslateRestore(sql::TokenReader& reader);
Result<std::string> TranslateReorg(sql::TokenReader& reader);
Result<std::string> TranslateConvert(sql::TokenReader& reader);
Result<std::string> TranslateGenerate(sql::TokenReader& reader);
Result<std::string> TranslateUndrop(sql::TokenReader& reader);
Result<std::string> TranslateSetDefaultProperty(sql::TokenReader& reader);
Result<std::string> TranslateSetKnown(sql::TokenReader& reader);

/// SET spark.databricks.delta.properties.defaults.<key>.
bool IsSetDefaultProperty(const sql::TokenReader& reader);
/// SET of one of Spark's settings that have a counterpart here.
bool IsSetKnown(const sql::TokenReader& reader);
/// Whether a CREATE TABLE uses words that only Spark's grammar has.
bool IsSparkCreateTable(const sql::TokenReader& reader);
/// CREATE ... [SHALLOW | DEEP] CLONE.
bool IsClone(const sql::TokenReader& reader);
/// Whether an ALTER TABLE is one that DuckDB cannot parse.
bool IsSparkAlterTable(const sql::TokenReader& reader);

/// Takes a table's name (a, a.b, a.b.c, delta.`/path`, '/path') and gives it quoted in one SQL
/// literal, as Weir's table functions take names: '"a"."b"'.
Result<std::string> TakeTableArgument(sql::TokenReader& reader);
/// Takes VERSION AS OF n | TIMESTAMP AS OF t (with an optional FOR) and gives "version => n" or
/// "timestamp => t"; empty when neither is next.
Result<std::string> TakeTimeTravelArgument(sql::TokenReader& reader);
/// Takes ('key' = 'value', ...) with keys quoted or dotted; values as text.
Result<std::vector<std::pair<std::string, std::string>>> TakeProperties(sql::TokenReader& reader);
/// Takes (name, a.b, ...) and gives each as written, quoted where needed.
Result<std::vector<std::string>> TakeColumnList(sql::TokenReader& reader);
/// Takes a data type in Spark's spelling and gives DuckDB's: ARRAY<STRUCT<a: STRING>> becomes
/// STRUCT("a" VARCHAR)[]. TIMESTAMP is Spark's instant, so TIMESTAMP WITH TIME ZONE here.
Result<std::string> TakeType(sql::TokenReader& reader);

/// A type of Spark's as DuckDB knows it, and what DuckDB has no words for.
struct DeclaredType {
  std::string sql;
  /// delta::TypeDeclaration of the whole type when fields of its structs are NOT NULL or have a
  /// COMMENT, or when it holds a CHAR(n) or VARCHAR(n); else empty.
  std::string declaration;

  /// For functions that take either.
  const std::string& text() const { return declaration.empty() ? sql : declaration; }
};
/// As TakeType.
Result<DeclaredType> TakeDeclaredType(sql::TokenReader& reader);
/// PARSE_SYNTAX_ERROR unless the statement ends here.
Status ExpectEnd(sql::TokenReader& reader);
/// ['a', 'b'] as a SQL list literal.
std::string ListLiteral(const std::vector<std::string>& texts);
/// MAP {'k': 'v'} as a SQL literal.
std::string MapLiteral(const std::vector<std::pair<std::string, std::string>>& pairs);
/// A piece of SQL with Spark's spellings replaced by DuckDB's; the same text when there are none.
std::string RewriteText(std::string_view sql);
/// INSERT, UPDATE or MERGE (also behind WITH and EXPLAIN) with Spark's words replaced by DuckDB's,
/// its target named as write_mode.h says; any other text as it is. With `evolves` an INSERT or
/// MERGE is WITH SCHEMA EVOLUTION without the words.
Result<std::string> RewriteRowStatement(const std::string& sql, bool evolves);

}  // namespace weir::engine::spark
