// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sql/tokens.h"

namespace weir::sql {

/// Where something was said, for messages.
struct Origin {
  std::string file;  ///< Empty for a statement that came from no file.
  int line = 0;

  /// "transformations/customers.sql:12", or "line 12" without a file.
  std::string ToString() const;
};

/// The parts of a table's name as written, without quotes: {t}, {schema, t} or {catalog, schema,
/// t}.
struct QualifiedName {
  std::vector<std::string> parts;

  const std::string& last() const { return parts.back(); }
  /// Parts joined by dots, for messages.
  std::string ToString() const;
  /// Parts in double quotes, joined by dots, for SQL.
  std::string ToSql() const;
};

/// A few keywords, one after the other. A value: a table of statements can hold it.
class Keywords {
 public:
  static constexpr size_t kMost = 3;

  template <std::convertible_to<std::string_view>... Words>
    requires(sizeof...(Words) >= 1 && sizeof...(Words) <= kMost)
  constexpr Keywords(const Words&... words) : words_{words...}, size_(sizeof...(Words)) {}

  constexpr size_t size() const { return size_; }
  constexpr const std::string_view* begin() const { return words_.data(); }
  constexpr const std::string_view* end() const { return words_.data() + size_; }

 private:
  std::array<std::string_view, kMost> words_;
  size_t size_;
};

/// Walks over the words of a statement or a file of statements and makes its syntax errors. The
/// text must outlive it.
class TokenReader {
 public:
  TokenReader(std::string_view text, std::vector<Token> tokens, std::string file)
      : text_(text), tokens_(std::move(tokens)), file_(std::move(file)) {}

  const Token& Peek(size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : tokens_.back();
  }
  const Token& Take() { return at_ + 1 < tokens_.size() ? tokens_[at_++] : tokens_.back(); }
  bool AtEnd() const { return Peek().kind == TokenKind::kEnd; }
  bool AtStatementEnd() const { return AtEnd() || Peek().IsSymbol(";"); }

  /// True when the next words, or those behind `ahead` of them, are exactly these keywords.
  bool LooksAt(const Keywords& keywords, size_t ahead = 0) const;
  /// Takes the keywords when they are next.
  bool TakeIf(const Keywords& keywords);
  bool TakeSymbolIf(std::string_view symbol);

  Status ExpectWords(std::initializer_list<std::string_view> keywords, std::string_view where);
  Status ExpectSymbol(std::string_view symbol, std::string_view where);
  Result<std::string> ExpectName(std::string_view what);
  Result<std::string> ExpectString(std::string_view what);
  Result<QualifiedName> ExpectQualifiedName(std::string_view what);

  /// The source text from here up to the first token, outside brackets, for which `stop` says true;
  /// also stops at the statement's end. Errors: PARSE_SYNTAX_ERROR when there is nothing or a
  /// bracket stays open.
  template <typename Stop>
  Result<std::string> TextUntil(Stop stop, std::string_view what);

  Origin origin() const { return {file_, Peek().line}; }
  /// PARSE_SYNTAX_ERROR at the next word: "FILE:LINE: `problem`, found `word`".
  Error SyntaxError(std::string_view problem) const;

 private:
  std::string_view text_;
  std::vector<Token> tokens_;
  std::string file_;
  size_t at_ = 0;
};

template <typename Stop>
Result<std::string> TokenReader::TextUntil(Stop stop, std::string_view what) {
  const size_t begin = Peek().begin;
  size_t end = begin;
  int depth = 0;
  while (!AtEnd() && (depth > 0 || (!Peek().IsSymbol(";") && !stop(*this)))) {
    if (Peek().IsSymbol("(") || Peek().IsSymbol("[") || Peek().IsSymbol("{")) ++depth;
    if (Peek().IsSymbol(")") || Peek().IsSymbol("]") || Peek().IsSymbol("}")) {
      if (depth == 0) break;
      --depth;
    }
    end = Take().end;
  }
  if (end == begin) return Fail(SyntaxError("expected " + std::string(what)));
  if (depth > 0) return Fail(SyntaxError("a bracket in " + std::string(what) + " is never closed"));
  return std::string(text_.substr(begin, end - begin));
}

}  // namespace weir::sql
