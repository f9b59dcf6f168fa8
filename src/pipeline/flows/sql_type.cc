// SPDX-License-Identifier: Apache-2.0
#include "pipeline/flows/sql_type.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/sql/tokens.h"
#include "base/text.h"

namespace weir::pipeline {

using sql::Token;
using sql::Tokenize;
using sql::TokenKind;
namespace {

using sql::Token;
using sql::TokenKind;

class TypeParser {
 public:
  TypeParser(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  Result<SqlType> Run() {
    WEIR_ASSIGN_OR_RETURN(SqlType type, Type());
    if (Peek().kind != TokenKind::kEnd) return Fail(NotUnderstood());
    return type;
  }

 private:
  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }

  Error NotUnderstood() const {
    return InvalidArgument("WEIR_TYPE_NOT_UNDERSTOOD",
                           "the type `" + std::string(text_) + "` is not understood");
  }

  Result<SqlType> Type() {
    SqlType type;
    if (Peek().IsWord("STRUCT") && Peek(1).IsSymbol("(")) {
      WEIR_ASSIGN_OR_RETURN(type, Struct());
    } else if (Peek().IsWord("MAP") && Peek(1).IsSymbol("(")) {
      WEIR_ASSIGN_OR_RETURN(type, Map());
    } else {
      WEIR_ASSIGN_OR_RETURN(type, Scalar());
    }
    while (Peek().IsSymbol("[")) {
      while (!Peek().IsSymbol("]")) {
        if (Peek().kind == TokenKind::kEnd) return Fail(NotUnderstood());
        ++at_;
      }
      ++at_;
      type = SqlType{SqlType::Kind::kList, "", {}, {std::move(type)}};
    }
    return type;
  }

  Result<SqlType> Struct() {
    SqlType type{SqlType::Kind::kStruct, "", {}, {}};
    at_ += 2;
    while (true) {
      if (!Peek().IsName()) return Fail(NotUnderstood());
      type.fields.push_back(tokens_[at_++].text);
      WEIR_ASSIGN_OR_RETURN(SqlType child, Type());
      type.children.push_back(std::move(child));
      if (Peek().IsSymbol(")")) break;
      if (!Peek().IsSymbol(",")) return Fail(NotUnderstood());
      ++at_;
    }
    ++at_;
    return type;
  }

  Result<SqlType> Map() {
    SqlType type{SqlType::Kind::kMap, "", {}, {}};
    at_ += 2;
    WEIR_ASSIGN_OR_RETURN(SqlType key, Type());
    if (!Peek().IsSymbol(",")) return Fail(NotUnderstood());
    ++at_;
    WEIR_ASSIGN_OR_RETURN(SqlType value, Type());
    if (!Peek().IsSymbol(")")) return Fail(NotUnderstood());
    ++at_;
    type.children = {std::move(key), std::move(value)};
    return type;
  }

  /// One or more words (TIMESTAMP WITH TIME ZONE), with parameters in brackets.
  Result<SqlType> Scalar() {
    if (!Peek().IsName()) return Fail(NotUnderstood());
    const size_t begin = Peek().begin;
    size_t end = begin;
    while (Peek().IsName()) end = tokens_[at_++].end;
    if (Peek().IsSymbol("(")) {
      while (!Peek().IsSymbol(")")) {
        if (Peek().kind == TokenKind::kEnd) return Fail(NotUnderstood());
        ++at_;
      }
      end = tokens_[at_++].end;
    }
    return SqlType{SqlType::Kind::kScalar, std::string(text_.substr(begin, end - begin)), {}, {}};
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

/// DECIMAL(p,s) as (p - s, s): digits before and behind the point. Integers count as decimals too.
std::optional<std::pair<int, int>> Digits(const std::string& name) {
  static const std::map<std::string, int> kIntegers = {
      {"TINYINT", 3}, {"SMALLINT", 5}, {"INTEGER", 10}, {"BIGINT", 19}};
  if (auto integer = kIntegers.find(name); integer != kIntegers.end())
    return std::pair(integer->second, 0);
  if (!StartsWith(name, "DECIMAL(")) return std::nullopt;
  int precision = 0;
  int scale = 0;
  const char* end = name.data() + name.size();
  const auto [comma, bad] = std::from_chars(name.data() + 8, end, precision);
  if (bad != std::errc() || comma == end) return std::nullopt;
  std::from_chars(comma + 1, end, scale);
  return std::pair(precision - scale, scale);
}

bool ScalarWidensTo(const std::string& from, const std::string& to) {
  constexpr std::array<std::string_view, 4> kIntegers = {"TINYINT", "SMALLINT", "INTEGER",
                                                         "BIGINT"};
  const auto rank = [&](std::string_view name) {
    return std::ranges::find(kIntegers, name) - kIntegers.begin();
  };
  const bool from_integer = rank(from) < 4;
  if (from_integer && rank(to) < 4) return rank(from) <= rank(to);
  if (to == "DOUBLE") return from == "FLOAT" || (from_integer && from != "BIGINT");
  if (to == "FLOAT") return from == "TINYINT" || from == "SMALLINT";
  if (to == "TIMESTAMP") return from == "DATE";
  const auto wide = Digits(to);
  const auto narrow = Digits(from);
  return StartsWith(to, "DECIMAL") && wide && narrow && narrow->first <= wide->first &&
         narrow->second <= wide->second;
}

}  // namespace

const Column* FindColumn(const std::vector<Column>& columns, std::string_view name) {
  const auto found = std::ranges::find_if(
      columns, [&](const Column& column) { return EqualsIgnoreCase(column.name, name); });
  return found == columns.end() ? nullptr : &*found;
}

std::string SqlType::ToString() const {
  switch (kind) {
    case Kind::kScalar:
      return name;
    case Kind::kList:
      return children[0].ToString() + "[]";
    case Kind::kMap:
      return "MAP(" + children[0].ToString() + ", " + children[1].ToString() + ")";
    case Kind::kStruct:
      break;
  }
  std::string text = "STRUCT(";
  for (size_t i = 0; i < fields.size(); ++i) {
    text += (i == 0 ? "" : ", ") + QuoteIdentifier(fields[i]) + " " + children[i].ToString();
  }
  return text + ")";
}

Result<SqlType> ParseType(std::string_view text) {
  WEIR_ASSIGN_OR_RETURN(std::vector<Token> tokens, sql::Tokenize(text));
  return TypeParser(text, std::move(tokens)).Run();
}

SqlType StorableType(const SqlType& type) {
  static const std::map<std::string, std::string> kStored = {
      {"UUID", "VARCHAR"},           {"JSON", "VARCHAR"},
      {"TIME", "VARCHAR"},           {"TIME WITH TIME ZONE", "VARCHAR"},
      {"INTERVAL", "VARCHAR"},       {"BIT", "VARCHAR"},
      {"UTINYINT", "SMALLINT"},      {"USMALLINT", "INTEGER"},
      {"UINTEGER", "BIGINT"},        {"UBIGINT", "DECIMAL(20,0)"},
      {"HUGEINT", "DECIMAL(38,0)"},  {"UHUGEINT", "DECIMAL(38,0)"},
      {"BIGNUM", "DECIMAL(38,0)"},   {"TIMESTAMP_S", "TIMESTAMP"},
      {"TIMESTAMP_MS", "TIMESTAMP"}, {"TIMESTAMP_NS", "TIMESTAMP"},
      {"\"NULL\"", "VARCHAR"},       {"NULL", "VARCHAR"}};
  SqlType stored = type;
  for (SqlType& child : stored.children) child = StorableType(child);
  if (type.kind != SqlType::Kind::kScalar) return stored;
  if (const auto found = kStored.find(type.name); found != kStored.end())
    stored.name = found->second;
  if (StartsWith(type.name, "ENUM")) stored.name = "VARCHAR";
  return stored;
}

std::string SparkType(const SqlType& type) {
  static const std::map<std::string, std::string> kNames = {
      {"INTEGER", "INT"},
      {"VARCHAR", "STRING"},
      {"BLOB", "BINARY"},
      {"TIMESTAMP", "TIMESTAMP_NTZ"},
      {"TIMESTAMP WITH TIME ZONE", "TIMESTAMP"}};
  switch (type.kind) {
    case SqlType::Kind::kScalar: {
      const auto found = kNames.find(type.name);
      return found == kNames.end() ? type.name : found->second;
    }
    case SqlType::Kind::kList:
      return "ARRAY<" + SparkType(type.children[0]) + ">";
    case SqlType::Kind::kMap:
      return "MAP<" + SparkType(type.children[0]) + ", " + SparkType(type.children[1]) + ">";
    case SqlType::Kind::kStruct:
      break;
  }
  std::string text = "STRUCT<";
  for (size_t i = 0; i < type.fields.size(); ++i) {
    text +=
        (i == 0 ? "" : ", ") + QuoteIdentifier(type.fields[i]) + ": " + SparkType(type.children[i]);
  }
  return text + ">";
}

std::string OrderKey(const std::string& expression, const SqlType& type) {
  if (type.kind == SqlType::Kind::kList) {
    return "list_transform(" + expression + ", lambda x: row(x IS NOT NULL, " +
           OrderKey("x", type.children[0]) + "))";
  }
  if (type.kind != SqlType::Kind::kStruct) return expression;
  std::string key = "row(";
  for (size_t i = 0; i < type.fields.size(); ++i) {
    const std::string field =
        "struct_extract(" + expression + ", " + QuoteLiteral(type.fields[i]) + ")";
    key += (i == 0 ? "" : ", ") + field + " IS NOT NULL, " + OrderKey(field, type.children[i]);
  }
  return key + ")";
}

bool IsOrderable(const SqlType& type) {
  if (type.kind == SqlType::Kind::kMap) return false;
  if (type.kind == SqlType::Kind::kScalar) {
    return type.name != "VARIANT" && type.name != "INTERVAL" && type.name != "\"NULL\"" &&
           type.name != "NULL" && !StartsWith(type.name, "UNION") && type.name != "GEOMETRY";
  }
  return std::ranges::all_of(type.children, IsOrderable);
}

bool WidensTo(const SqlType& from, const SqlType& to) {
  if (from == to) return true;
  if (from.kind != to.kind) return false;
  if (from.kind == SqlType::Kind::kScalar) return ScalarWidensTo(from.name, to.name);
  if (from.fields != to.fields || from.children.size() != to.children.size()) return false;
  return std::ranges::equal(from.children, to.children, WidensTo);
}

}  // namespace weir::pipeline
