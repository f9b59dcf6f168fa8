// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

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
      if (!RewriteChanges() && !RewriteTimeTravel() && !RewriteBackticks()) ++at_;
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

  // One end of a CHANGES clause, VERSION 3 or TIMESTAMP '...', with INCLUSIVE or EXCLUSIVE behind
  // it, as the argument of table_changes. Gives the number of words, 0 when it is none.
  size_t ChangesBoundAt(size_t ahead, int64_t exclusive_step, std::string& bound) const {
    const bool by_version = Peek(ahead).IsWord("VERSION");
    const Token& value = Peek(ahead + 1);
    const bool fits = by_version
                          ? value.kind == TokenKind::kNumber
                          : Peek(ahead).IsWord("TIMESTAMP") && value.kind == TokenKind::kString;
    if (!fits) return 0;
    bound = by_version ? value.text : QuoteLiteral(value.text);
    if (Peek(ahead + 2).IsWord("INCLUSIVE")) return 3;
    if (!Peek(ahead + 2).IsWord("EXCLUSIVE")) return 2;
    if (!by_version) return 0;
    bound += exclusive_step > 0 ? " + 1" : " - 1";
    return 3;
  }

  // t CHANGES FROM VERSION 1 [TO VERSION 2], as in Spark 4.2: a call of table_changes.
  bool RewriteChanges() {
    if (!Peek(0).IsName()) return false;
    std::string name = QuoteIdentifier(Peek(0).text);
    size_t words = 1;
    for (; Peek(words).IsSymbol(".") && Peek(words + 1).IsName(); words += 2)
      name += "." + QuoteIdentifier(Peek(words + 1).text);
    if (!Peek(words).IsWord("CHANGES") || !Peek(words + 1).IsWord("FROM")) return false;
    words += 2;
    std::string first;
    const size_t first_words = ChangesBoundAt(words, 1, first);
    if (first_words == 0) return false;
    words += first_words;
    std::string last;
    if (Peek(words).IsWord("TO")) {
      const size_t last_words = ChangesBoundAt(words + 1, -1, last);
      if (last_words == 0) return false;
      words += 1 + last_words;
      last = ", " + last;
    }
    return Replace(words, "table_changes(" + QuoteLiteral(name) + ", " + first + last + ")");
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
