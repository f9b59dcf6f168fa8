// SPDX-License-Identifier: Apache-2.0
#include "base/sql/tokens.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace weir::sql {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool IsWordPart(char c) { return IsWordStart(c) || IsDigit(c) || c == '$'; }

constexpr std::array<std::string_view, 10> kLongSymbols = {
    "->>", "=>", "::", "<=", ">=", "<>", "!=", "||", "->", "=="};

class Cutter {
 public:
  explicit Cutter(std::string_view sql) : sql_(sql) {}

  Result<std::vector<Token>> Run() {
    while (true) {
      WEIR_RETURN_IF_ERROR(SkipBlanks());
      if (at_ >= sql_.size()) break;
      WEIR_RETURN_IF_ERROR(Next());
    }
    tokens_.push_back({TokenKind::kEnd, "", sql_.size(), sql_.size(), line_});
    return std::move(tokens_);
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0'; }

  void Advance() {
    if (sql_[at_] == '\n') ++line_;
    ++at_;
  }

  Error Open(std::string_view what, int line) const {
    return InvalidArgument(
        "PARSE_SYNTAX_ERROR",
        "line " + std::to_string(line) + ": " + std::string(what) + " is never closed", "42601");
  }

  Status SkipBlanks() {
    while (at_ < sql_.size()) {
      if (Peek() == '-' && Peek(1) == '-') {
        while (at_ < sql_.size() && Peek() != '\n') ++at_;
      } else if (Peek() == '/' && Peek(1) == '*') {
        WEIR_RETURN_IF_ERROR(SkipBlockComment());
      } else if (Peek() == ' ' || Peek() == '\t' || Peek() == '\n' || Peek() == '\r' ||
                 Peek() == '\f') {
        Advance();
      } else {
        break;
      }
    }
    return {};
  }

  Status SkipBlockComment() {
    const int first_line = line_;
    int depth = 0;
    do {
      if (at_ >= sql_.size()) return Fail(Open("a /* comment", first_line));
      if (Peek() == '/' && Peek(1) == '*') {
        ++depth;
        at_ += 2;
      } else if (Peek() == '*' && Peek(1) == '/') {
        --depth;
        at_ += 2;
      } else {
        Advance();
      }
    } while (depth > 0);
    return {};
  }

  Status Next() {
    const char c = Peek();
    if (c == '\'') return Quoted(TokenKind::kString, '\'', 0, false);
    if (c == '"' || c == '`') return Quoted(TokenKind::kQuotedName, c, 0, false);
    if (Peek(1) == '\'' && std::string_view("eErRbB").find(c) != std::string_view::npos) {
      return Quoted(TokenKind::kString, '\'', 1, c == 'e' || c == 'E');
    }
    if (IsWordStart(c)) return Span(TokenKind::kWord, IsWordPart);
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) {
      return Span(TokenKind::kNumber, [](char part) { return IsWordPart(part) || part == '.'; });
    }
    return Symbol();
  }

  template <typename Belongs>
  Status Span(TokenKind kind, Belongs belongs) {
    const size_t begin = at_;
    while (at_ < sql_.size() && belongs(Peek())) ++at_;
    tokens_.push_back({kind, std::string(sql_.substr(begin, at_ - begin)), begin, at_, line_});
    return {};
  }

  Status Quoted(TokenKind kind, char quote, size_t prefix, bool backslash_escapes) {
    Token token{kind, "", at_, 0, line_};
    at_ += prefix + 1;
    while (true) {
      if (at_ >= sql_.size()) return Fail(Open(std::string("a ") + quote + " quote", token.line));
      if (Peek() == quote) {
        if (Peek(1) != quote) break;
        ++at_;
      } else if (backslash_escapes && Peek() == '\\' && at_ + 1 < sql_.size()) {
        ++at_;
      }
      token.text += Peek();
      Advance();
    }
    token.end = ++at_;
    tokens_.push_back(std::move(token));
    return {};
  }

  Status Symbol() {
    size_t length = 1;
    for (std::string_view symbol : kLongSymbols) {
      if (StartsWith(sql_.substr(at_), symbol)) {
        length = symbol.size();
        break;
      }
    }
    tokens_.push_back(
        {TokenKind::kSymbol, std::string(sql_.substr(at_, length)), at_, at_ + length, line_});
    at_ += length;
    return {};
  }

  std::string_view sql_;
  size_t at_ = 0;
  int line_ = 1;
  std::vector<Token> tokens_;
};

}  // namespace

bool Token::IsWord(std::string_view keyword) const {
  return kind == TokenKind::kWord && EqualsIgnoreCase(text, keyword);
}

bool Token::IsSymbol(std::string_view symbol) const {
  return kind == TokenKind::kSymbol && text == symbol;
}

Result<std::vector<Token>> Tokenize(std::string_view sql) { return Cutter(sql).Run(); }

}  // namespace weir::sql
