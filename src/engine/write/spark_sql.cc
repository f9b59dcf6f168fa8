// SPDX-License-Identifier: Apache-2.0
#include "engine/write/spark_sql.h"

#include <algorithm>

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

}  // namespace

std::string InSparkSql(std::string_view duckdb) {
  std::string result;
  for (size_t at = 0; at < duckdb.size();) {
    const char c = duckdb[at];
    if (c == '\'') {
      result += SparkText(TakeDoubled(duckdb, at));
    } else if (c == '"') {
      result += InBackticks(TakeDoubled(duckdb, at));
    } else {
      result += c;
      ++at;
    }
  }
  return result;
}

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
