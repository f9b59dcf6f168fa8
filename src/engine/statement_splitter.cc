// SPDX-License-Identifier: Apache-2.0
#include "engine/statement_splitter.h"

#include <cctype>

#include "base/text.h"

namespace weir::engine {
namespace {

bool IsWordByte(char c) {
  const unsigned char byte = c;
  return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80;
}

class Splitter {
 public:
  explicit Splitter(std::string_view sql) : sql_(sql) {}

  SplitSql Run() {
    while (position_ < sql_.size()) Step();
    const bool begun = has_content_;
    EndStatement();
    result_.complete = !unclosed_ && !begun;
    return std::move(result_);
  }

 private:
  void Step() {
    const char c = sql_[position_];
    const std::string_view rest = sql_.substr(position_);
    if (c == ';') {
      EndStatement();
      start_ = ++position_;
    } else if (StartsWith(rest, "--")) {
      const size_t end = sql_.find('\n', position_);
      position_ = end == std::string_view::npos ? sql_.size() : end + 1;
    } else if (StartsWith(rest, "/*")) {
      SkipBlockComment();
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++position_;
    } else {
      has_content_ = true;
      SkipToken(c);
    }
  }

  void SkipToken(char c) {
    if (c == '\'' || c == '"' || c == '`') {
      SkipQuoted(c, false);
    } else if (c == '$') {
      SkipDollarQuoted();
    } else if (IsWordByte(c)) {
      const size_t begin = position_;
      while (position_ < sql_.size() && (IsWordByte(sql_[position_]) || sql_[position_] == '$'))
        ++position_;
      const bool escapes = position_ - begin == 1 && (c == 'e' || c == 'E');
      if (escapes && position_ < sql_.size() && sql_[position_] == '\'') SkipQuoted('\'', true);
    } else {
      ++position_;
    }
  }

  // A doubled quote needs no care: it closes one text and opens the next.
  void SkipQuoted(char quote, bool backslash_escapes) {
    for (++position_; position_ < sql_.size(); ++position_) {
      if (backslash_escapes && sql_[position_] == '\\') {
        ++position_;
      } else if (sql_[position_] == quote) {
        ++position_;
        return;
      }
    }
    position_ = sql_.size();
    unclosed_ = true;
  }

  void SkipDollarQuoted() {
    size_t end = position_ + 1;
    const bool tag_may_start =
        end < sql_.size() && std::isdigit(static_cast<unsigned char>(sql_[end])) == 0;
    while (tag_may_start && end < sql_.size() && IsWordByte(sql_[end])) ++end;
    if (end >= sql_.size() || sql_[end] != '$') {  // a parameter: $1 or $name
      position_ = end;
      return;
    }
    const std::string_view tag = sql_.substr(position_, end + 1 - position_);
    const size_t close = sql_.find(tag, end + 1);
    unclosed_ = close == std::string_view::npos;
    position_ = unclosed_ ? sql_.size() : close + tag.size();
  }

  void SkipBlockComment() {
    int depth = 0;
    while (position_ < sql_.size()) {
      const std::string_view rest = sql_.substr(position_);
      if (StartsWith(rest, "/*")) {
        ++depth;
        position_ += 2;
      } else if (StartsWith(rest, "*/")) {
        position_ += 2;
        if (--depth == 0) return;
      } else {
        ++position_;
      }
    }
    unclosed_ = true;
  }

  void EndStatement() {
    if (has_content_)
      result_.statements.emplace_back(Trim(sql_.substr(start_, position_ - start_)));
    has_content_ = false;
  }

  std::string_view sql_;
  size_t position_ = 0;
  size_t start_ = 0;
  bool has_content_ = false;
  bool unclosed_ = false;
  SplitSql result_;
};

}  // namespace

SplitSql SplitSqlText(std::string_view sql) { return Splitter(sql).Run(); }

}  // namespace weir::engine
