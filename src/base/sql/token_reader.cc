// SPDX-License-Identifier: Apache-2.0
#include "base/sql/token_reader.h"

#include "base/text.h"

namespace weir::sql {

std::string Origin::ToString() const {
  return file.empty() ? "line " + std::to_string(line) : file + ":" + std::to_string(line);
}

std::string QualifiedName::ToString() const {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ".") + part;
  return text;
}

std::string QualifiedName::ToSql() const {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ".") + QuoteIdentifier(part);
  return text;
}

bool TokenReader::LooksAt(const Keywords& keywords, size_t ahead) const {
  for (std::string_view keyword : keywords) {
    if (!Peek(ahead++).IsWord(keyword)) return false;
  }
  return true;
}

bool TokenReader::TakeIf(const Keywords& keywords) {
  if (!LooksAt(keywords)) return false;
  for (size_t i = 0; i < keywords.size(); ++i) Take();
  return true;
}

bool TokenReader::TakeSymbolIf(std::string_view symbol) {
  if (!Peek().IsSymbol(symbol)) return false;
  Take();
  return true;
}

Status TokenReader::ExpectWords(std::initializer_list<std::string_view> keywords,
                                std::string_view where) {
  for (std::string_view keyword : keywords) {
    if (!TakeIf({keyword}))
      return Fail(SyntaxError("expected " + std::string(keyword) + " " + std::string(where)));
  }
  return {};
}

Status TokenReader::ExpectSymbol(std::string_view symbol, std::string_view where) {
  if (TakeSymbolIf(symbol)) return {};
  return Fail(SyntaxError("expected '" + std::string(symbol) + "' " + std::string(where)));
}

Result<std::string> TokenReader::ExpectName(std::string_view what) {
  if (!Peek().IsName()) return Fail(SyntaxError("expected " + std::string(what)));
  return Take().text;
}

Result<std::string> TokenReader::ExpectString(std::string_view what) {
  if (Peek().kind != TokenKind::kString)
    return Fail(SyntaxError("expected " + std::string(what) + " in quotes"));
  return Take().text;
}

Result<QualifiedName> TokenReader::ExpectQualifiedName(std::string_view what) {
  QualifiedName name;
  do {
    WEIR_ASSIGN_OR_RETURN(std::string part, ExpectName(what));
    name.parts.push_back(std::move(part));
  } while (TakeSymbolIf("."));
  if (name.parts.size() > 3)
    return Fail(SyntaxError("a name has at most three parts (catalog.schema.table)"));
  return name;
}

Error TokenReader::SyntaxError(std::string_view problem) const {
  const std::string found = AtEnd() ? "the end" : "`" + Peek().text + "`";
  return InvalidArgument("PARSE_SYNTAX_ERROR",
                         origin().ToString() + ": " + std::string(problem) + ", found " + found,
                         "42601");
}

}  // namespace weir::sql
