// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "engine/statements/spark/translators.h"

namespace weir::engine::spark {
namespace {

using sql::Token;
using sql::TokenKind;

class Rewriter {
 public:
  Rewriter(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  std::string Run() {
    while (tokens_[at_].kind != TokenKind::kEnd) {
      if (!RewriteTimeTravel() && !RewriteBackticks()) ++at_;
    }
    out_ += text_.substr(copied_);
    return std::move(out_);
  }

 private:
  const Token& Peek(size_t ahead) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : tokens_.back();
  }

  // Replaces the next `count` tokens by `replacement`.
  bool Replace(size_t count, const std::string& replacement) {
    out_ += text_.substr(copied_, tokens_[at_].begin - copied_);
    out_ += replacement;
    copied_ = tokens_[at_ + count - 1].end;
    at_ += count;
    return true;
  }

  // VERSION AS OF 3, TIMESTAMP AS OF '...', with FOR before it. Gives the number of words, 0 when
  // it is none.
  size_t TimeTravelAt(size_t ahead, bool& by_version, std::string& value) const {
    size_t words = Peek(ahead).IsWord("FOR") ? 1 : 0;
    by_version =
        Peek(ahead + words).IsWord("VERSION") || Peek(ahead + words).IsWord("SYSTEM_VERSION");
    const bool by_time =
        Peek(ahead + words).IsWord("TIMESTAMP") || Peek(ahead + words).IsWord("SYSTEM_TIME");
    if (!by_version && !by_time) return 0;
    if (!Peek(ahead + words + 1).IsWord("AS") || !Peek(ahead + words + 2).IsWord("OF")) return 0;
    const Token& token = Peek(ahead + words + 3);
    if (token.kind == TokenKind::kNumber) {
      value = token.text;
    } else if (token.kind == TokenKind::kString) {
      value = QuoteLiteral(token.text);
    } else {
      return 0;
    }
    return words + 4;
  }

  bool RewriteTimeTravel() {
    bool by_version = false;
    std::string value;
    const size_t words = TimeTravelAt(0, by_version, value);
    if (words == 0) return false;
    return Replace(
        words, std::string("AT (") + (by_version ? "VERSION" : "TIMESTAMP") + " => " + value + ")");
  }

  bool RewriteBackticks() {
    const Token& token = Peek(0);
    if (token.kind != TokenKind::kQuotedName || text_[token.begin] != '`') return false;
    return Replace(1, QuoteIdentifier(token.text));
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  size_t copied_ = 0;
  std::string out_;
};

}  // namespace

std::string RewriteText(std::string_view sql) {
  auto tokens = sql::Tokenize(sql);
  if (!tokens) return std::string(sql);
  return Rewriter(sql, std::move(*tokens)).Run();
}

}  // namespace weir::engine::spark
