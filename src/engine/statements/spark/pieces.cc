// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "engine/statements/spark/translators.h"

namespace weir::engine::spark {

using sql::Token;
using sql::TokenKind;
using sql::TokenReader;

Result<std::string> TakeTableArgument(TokenReader& reader) {
  if (reader.Peek().kind == TokenKind::kString) {
    return QuoteLiteral(QuoteIdentifier(reader.Take().text));
  }
  WEIR_ASSIGN_OR_RETURN(const sql::QualifiedName name,
                        reader.ExpectQualifiedName("a table's name"));
  return QuoteLiteral(name.ToSql());
}

Result<std::string> TakeTimeTravelArgument(TokenReader& reader) {
  if (reader.LooksAt({"FOR", "VERSION"}) || reader.LooksAt({"FOR", "TIMESTAMP"})) reader.Take();
  const bool by_version = reader.TakeIf({"VERSION", "AS", "OF"});
  if (!by_version && !reader.TakeIf({"TIMESTAMP", "AS", "OF"})) return std::string();
  const Token& value = reader.Take();
  if (value.kind != TokenKind::kNumber && value.kind != TokenKind::kString) {
    return Fail(reader.SyntaxError(by_version ? "expected a version number"
                                              : "expected a timestamp in quotes"));
  }
  if (by_version) return "version => " + value.text;
  return "\"timestamp\" => " + QuoteLiteral(value.text);
}

Result<std::vector<std::pair<std::string, std::string>>> TakeProperties(TokenReader& reader) {
  std::vector<std::pair<std::string, std::string>> properties;
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol("(", "before the properties"));
  do {
    std::string key;
    if (reader.Peek().kind == TokenKind::kString) {
      key = reader.Take().text;
    } else {
      WEIR_ASSIGN_OR_RETURN(const std::string first, reader.ExpectName("a property's name"));
      key = first;
      while (reader.TakeSymbolIf(".")) {
        WEIR_ASSIGN_OR_RETURN(const std::string part, reader.ExpectName("a property's name"));
        key += "." + part;
      }
    }
    if (!reader.TakeSymbolIf("=")) reader.TakeSymbolIf("==");
    std::string sign = reader.TakeSymbolIf("-") ? "-" : "";
    const Token& value = reader.Peek();
    if (value.kind != TokenKind::kString && value.kind != TokenKind::kNumber &&
        value.kind != TokenKind::kWord) {
      return Fail(reader.SyntaxError("expected the value of property '" + key + "'"));
    }
    properties.emplace_back(std::move(key), sign + reader.Take().text);
  } while (reader.TakeSymbolIf(","));
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(")", "behind the properties"));
  return properties;
}

Result<std::vector<std::string>> TakeColumnList(TokenReader& reader) {
  std::vector<std::string> columns;
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol("(", "before the columns"));
  do {
    std::string column;
    do {
      WEIR_ASSIGN_OR_RETURN(const std::string part, reader.ExpectName("a column's name"));
      column += (column.empty() ? "" : ".") + QuoteIdentifier(part);
    } while (reader.TakeSymbolIf("."));
    columns.push_back(std::move(column));
  } while (reader.TakeSymbolIf(","));
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(")", "behind the columns"));
  return columns;
}

Status ExpectEnd(TokenReader& reader) {
  if (reader.AtStatementEnd()) return {};
  return Fail(reader.SyntaxError("expected the end of the statement"));
}

std::string ListLiteral(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) out += (out.size() > 1 ? ", " : "") + QuoteLiteral(text);
  return out + "]";
}

std::string MapLiteral(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string out = "MAP {";
  for (const auto& [key, value] : pairs) {
    out += (out.size() > 5 ? ", " : "") + QuoteLiteral(key) + ": " + QuoteLiteral(value);
  }
  return out + "}";
}

}  // namespace weir::engine::spark
