// SPDX-License-Identifier: Apache-2.0
#include "engine/write/spark_sql.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace weir::engine {
namespace {

// What stands between the quote at `at` and the one that ends it, which is doubled inside. Moves
// `at` behind it.
std::string TakeDoubled(std::string_view sql, size_t& at) {
  const char quote = sql[at++];
  std::string content;
  for (; at < sql.size(); ++at) {
    if (sql[at] == quote) {
      if (at + 1 >= sql.size() || sql[at + 1] != quote) break;
      ++at;
    }
    content += sql[at];
  }
  if (at < sql.size()) ++at;
  return content;
}

// The character that `\c` stands for; LIKE's wildcards keep their backslash.
std::string Unescaped(char c) {
  switch (c) {
    case 'n':
      return "\n";
    case 't':
      return "\t";
    case 'r':
      return "\r";
    case 'b':
      return "\b";
    case '%':
    case '_':
      return std::string("\\") + c;
    default:
      return std::string(1, c);
  }
}

// A text of Spark's, whose quotes are escaped by backslashes.
std::string TakeEscaped(std::string_view sql, size_t& at) {
  const char quote = sql[at++];
  std::string content;
  for (; at < sql.size() && sql[at] != quote; ++at) {
    if (sql[at] == '\\' && at + 1 < sql.size()) {
      content += Unescaped(sql[++at]);
    } else {
      content += sql[at];
    }
  }
  if (at < sql.size()) ++at;
  return content;
}

std::string InBackticks(std::string_view name) {
  std::string result = "`";
  for (char c : name) result += c == '`' ? std::string("``") : std::string(1, c);
  return result + '`';
}

std::string SparkText(std::string_view content) {
  std::string result = "'";
  for (char c : content) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + '\'';
}

bool IsTextQuote(char c) { return c == '\'' || c == '"'; }

bool IsWordChar(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool IsWord(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsWordChar);
}

// Turns DuckDB's SQL, its own printing of expressions above all, into Spark's, token by token.
class SparkPrinter {
 public:
  explicit SparkPrinter(std::string_view duckdb) : sql_(duckdb) {}

  std::string Print() {
    while (at_ < sql_.size()) {
      const char c = sql_[at_];
      if (c == '\'') {
        result_ += SparkText(TakeDoubled(sql_, at_));
      } else if (c == '"') {
        PrintName(TakeDoubled(sql_, at_));
      } else if (IsWordChar(c)) {
        PrintWord(TakeWord());
      } else if (!PrintLike()) {
        result_ += c;
        ++at_;
        follows_as_ = follows_as_ && c == ' ';
      }
    }
    return std::move(result_);
  }

 private:
  std::string TakeWord() {
    const size_t begin = at_;
    while (at_ < sql_.size() && IsWordChar(sql_[at_])) ++at_;
    return std::string(sql_.substr(begin, at_ - begin));
  }

  bool IsCall() const { return at_ < sql_.size() && sql_[at_] == '('; }

  void PrintName(const std::string& name) {
    if (follows_as_) {
      PrintType(name);
    } else if (IsCall() && IsWord(name)) {
      PrintFunction(name);
    } else {
      result_ += InBackticks(name);
    }
    follows_as_ = false;
  }

  void PrintWord(const std::string& word) {
    const bool is_type = follows_as_;
    follows_as_ = EqualsIgnoreCase(word, "as");
    if (is_type) {
      PrintType(word);
    } else if (word == "main" && TakesSchemaOff()) {
      return;
    } else if (IsCall()) {
      PrintFunction(word);
    } else {
      result_ += word;
    }
  }

  // The parser puts a schema before functions that have a grammar of their own.
  bool TakesSchemaOff() {
    if (at_ >= sql_.size() || sql_[at_] != '.') return false;
    size_t behind = at_ + 1;
    if (behind < sql_.size() && sql_[behind] == '"') {
      TakeDoubled(sql_, behind);
    } else {
      while (behind < sql_.size() && IsWordChar(sql_[behind])) ++behind;
    }
    if (behind >= sql_.size() || sql_[behind] != '(') return false;
    ++at_;
    return true;
  }

  // Both have instr; position has its arguments the other way round on Spark.
  void PrintFunction(const std::string& name) { result_ += name == "position" ? "instr" : name; }

  void PrintType(const std::string& name) {
    const bool has_size = IsCall();
    if (EqualsIgnoreCase(name, "varchar") && !has_size) {
      result_ += "STRING";
    } else if (EqualsIgnoreCase(name, "blob")) {
      result_ += "BINARY";
    } else {
      result_ += IsWord(name) ? name : InBackticks(name);
    }
  }

  // LIKE and its kin are operators to DuckDB.
  bool PrintLike() {
    static constexpr std::pair<std::string_view, std::string_view> kOperators[] = {
        {"!~~*", "NOT ILIKE"}, {"!~~", "NOT LIKE"}, {"~~*", "ILIKE"}, {"~~", "LIKE"}};
    for (const auto& [symbol, word] : kOperators) {
      if (sql_.substr(at_, symbol.size()) != symbol) continue;
      result_ += word;
      at_ += symbol.size();
      return true;
    }
    return false;
  }

  std::string_view sql_;
  size_t at_ = 0;
  bool follows_as_ = false;  ///< Of a CAST: a type comes.
  std::string result_;
};

}  // namespace

std::string InSparkSql(std::string_view duckdb) { return SparkPrinter(duckdb).Print(); }

std::string InDuckDBSql(std::string_view spark) {
  std::string result;
  for (size_t at = 0; at < spark.size();) {
    const char c = spark[at];
    if (IsTextQuote(c)) {
      std::string content = TakeEscaped(spark, at);
      for (;;) {
        const size_t next = spark.find_first_not_of(" \t\r\n", at);
        if (next == std::string_view::npos || !IsTextQuote(spark[next])) break;
        at = next;
        content += TakeEscaped(spark, at);
      }
      result += QuoteLiteral(content);
    } else if (c == '`') {
      result += QuoteIdentifier(TakeDoubled(spark, at));
    } else {
      result += c;
      ++at;
    }
  }
  return result;
}

}  // namespace weir::engine
