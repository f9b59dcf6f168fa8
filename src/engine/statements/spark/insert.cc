// SPDX-License-Identifier: Apache-2.0
#include "engine/statements/spark/translators.h"
#include "engine/statements/write_mode.h"

namespace weir::engine::spark {
namespace {

using sql::TokenKind;
using sql::TokenReader;

std::string InsertInto(sql::QualifiedName name, WriteMode mode, const std::string& condition,
                       const std::string& rest) {
  name.parts.back() = EncodeWriteTarget({name.parts.back(), mode, condition});
  return "INSERT INTO " + name.ToSql() + " " + RewriteText(rest);
}

Result<std::string> RestOfStatement(TokenReader& reader) {
  return reader.TextUntil([](const TokenReader&) { return false; }, "the rows to insert");
}

bool StartsQuery(const TokenReader& reader) {
  for (std::string_view word : {"SELECT", "VALUES", "FROM", "WITH", "TABLE"}) {
    if (reader.LooksAt({word})) return true;
  }
  return false;
}

}  // namespace

Result<std::string> TranslateInsertOverwrite(TokenReader& reader) {
  reader.TakeIf({"INSERT", "OVERWRITE"});
  reader.TakeIf({"TABLE"});
  reader.TakeIf({"INTO"});
  WEIR_ASSIGN_OR_RETURN(const sql::QualifiedName name,
                        reader.ExpectQualifiedName("the table's name"));
  if (reader.LooksAt({"PARTITION"})) {
    return Fail(reader.SyntaxError(
        "PARTITION (...) is not supported; write INSERT INTO t REPLACE WHERE p = ... "));
  }
  WEIR_ASSIGN_OR_RETURN(const std::string rest, RestOfStatement(reader));
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  return InsertInto(name, WriteMode::kOverwrite, "", rest);
}

bool IsInsertReplace(const TokenReader& reader) {
  size_t at = reader.Peek(2).IsWord("TABLE") ? 3 : 2;
  while (reader.Peek(at).IsName() && reader.Peek(at + 1).IsSymbol(".")) at += 2;
  ++at;
  if (reader.Peek(at).IsWord("BY") && reader.Peek(at + 1).IsWord("NAME")) at += 2;
  return reader.Peek(at).IsWord("REPLACE") && reader.Peek(at + 1).IsWord("WHERE");
}

Result<std::string> TranslateInsertReplace(TokenReader& reader) {
  reader.TakeIf({"INSERT", "INTO"});
  reader.TakeIf({"TABLE"});
  WEIR_ASSIGN_OR_RETURN(const sql::QualifiedName name,
                        reader.ExpectQualifiedName("the table's name"));
  const std::string by_name = reader.TakeIf({"BY", "NAME"}) ? "BY NAME " : "";
  WEIR_RETURN_IF_ERROR(reader.ExpectWords({"REPLACE", "WHERE"}, "behind the table's name"));
  WEIR_ASSIGN_OR_RETURN(const std::string condition,
                        reader.TextUntil(StartsQuery, "the condition"));
  WEIR_ASSIGN_OR_RETURN(const std::string rest, RestOfStatement(reader));
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  return InsertInto(name, WriteMode::kReplaceWhere, RewriteText(condition), by_name + rest);
}

}  // namespace weir::engine::spark
