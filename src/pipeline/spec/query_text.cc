// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec/query_text.h"

#include <algorithm>
#include <array>

#include "base/sql/tokens.h"
#include "base/text.h"

namespace weir::pipeline {

using sql::Token;
using sql::Tokenize;
using sql::TokenKind;
namespace {

using sql::Token;
using sql::TokenKind;

/// The words that may follow a table in FROM and are therefore no alias.
constexpr std::array<std::string_view, 31> kAfterTable = {
    "WHERE",     "GROUP",   "ORDER", "HAVING",  "LIMIT",      "JOIN",        "INNER",  "LEFT",
    "RIGHT",     "FULL",    "CROSS", "ON",      "USING",      "UNION",       "EXCEPT", "WINDOW",
    "SELECT",    "SEMI",    "ANTI",  "ASOF",    "MINUS",      "OFFSET",      "FETCH",  "NATURAL",
    "INTERSECT", "QUALIFY", "PIVOT", "UNPIVOT", "POSITIONAL", "TABLESAMPLE", "LATERAL"};

constexpr std::array<std::string_view, 6> kFileFormats = {"json",  "csv",    "parquet",
                                                          "jsonl", "ndjson", "tsv"};

std::string FormatName(std::string_view word) {
  const std::string format = ToLowerAscii(word);
  if (format == "jsonl" || format == "ndjson") return "json";
  return format == "tsv" ? "csv" : format;
}

class Rewriter {
 public:
  Rewriter(std::string_view text, std::vector<Token> tokens, std::string prefix,
           std::string catalog)
      : text_(text),
        tokens_(std::move(tokens)),
        prefix_(std::move(prefix)),
        catalog_(std::move(catalog)) {}

  Result<RewrittenQuery> Query() {
    while (!AtEnd()) {
      if (AfterFrom() && (Peek().IsWord("STREAM") || Peek().IsWord("READ_FILES") ||
                          AtCloudFiles() || AtFormatPath())) {
        WEIR_RETURN_IF_ERROR(Source());
      } else {
        WEIR_RETURN_IF_ERROR(Plain());
      }
    }
    query_.sql += text_.substr(copied_);
    query_.spark_sql += text_.substr(spark_copied_);
    return std::move(query_);
  }

 private:
  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool AtEnd() const { return Peek().kind == TokenKind::kEnd; }

  bool AfterFrom() const {
    if (at_ == 0) return false;
    const Token& before = tokens_[at_ - 1];
    return before.IsWord("FROM") || before.IsWord("JOIN");
  }

  /// json.`folder`
  bool AtFormatPath() const {
    return Peek().kind == TokenKind::kWord && Peek(1).IsSymbol(".") &&
           Peek(2).kind == TokenKind::kQuotedName &&
           std::ranges::find(kFileFormats, ToLowerAscii(Peek().text)) != kFileFormats.end();
  }

  bool AtCloudFiles() const { return Peek().IsWord("CLOUD_FILES") && Peek(1).IsSymbol("("); }

  /// Before LIVE.name, as Databricks wrote the pipeline's own datasets before.
  bool AtLive() const {
    return Peek().IsName() && EqualsIgnoreCase(Peek().text, "live") && Peek(1).IsSymbol(".") &&
           Peek(2).IsName() && (at_ == 0 || !tokens_[at_ - 1].IsSymbol("."));
  }

  Error SyntaxError(std::string_view problem) const {
    return InvalidArgument("PARSE_SYNTAX_ERROR",
                           std::string(problem) + ", found " +
                               (AtEnd() ? "the end of the query" : "`" + Peek().text + "`") +
                               " in line " + std::to_string(Peek().line) + " of the query",
                           "42601");
  }

  /// Copies what stands between the last word and this one.
  void CopyGap() {
    query_.sql += text_.substr(copied_, Peek().begin - copied_);
    copied_ = Peek().begin;
  }

  void Skip() { copied_ = tokens_[at_++].end; }

  /// Copies one word in DuckDB's spelling.
  Status Plain() {
    CopyGap();
    if (AtStructCall()) return StructCall();
    if (AfterFrom() && AtLive()) {
      query_.spark_sql += text_.substr(spark_copied_, Peek().begin - spark_copied_);
      Skip(), Skip();
      spark_copied_ = copied_;
      return {};
    }
    if (AtCatalog()) {
      Skip();
      Skip();
      return {};
    }
    const Token& token = Peek();
    if (token.kind == TokenKind::kQuotedName) {
      query_.sql += QuoteIdentifier(token.text);
    } else {
      query_.sql += text_.substr(token.begin, token.end - token.begin);
    }
    Skip();
    return {};
  }

  /// Before a name of three parts or more that begins with the catalog.
  bool AtCatalog() const {
    if (catalog_.empty() || !Peek().IsName() || !EqualsIgnoreCase(Peek().text, catalog_))
      return false;
    if (at_ > 0 && tokens_[at_ - 1].IsSymbol(".")) return false;
    return Peek(1).IsSymbol(".") && Peek(2).IsName() && Peek(3).IsSymbol(".") && Peek(4).IsName();
  }

  bool AtStructCall() const {
    if (!Peek().IsWord("STRUCT") || !Peek(1).IsSymbol("(")) return false;
    return at_ == 0 || !(tokens_[at_ - 1].IsWord("AS") || tokens_[at_ - 1].IsSymbol("::") ||
                         tokens_[at_ - 1].IsSymbol("."));
  }

  /// struct(a, t.b, c + 1 AS d) names its fields by column or alias, and col1, col2, ... elsewhere.
  Status StructCall() {
    Skip();
    Skip();
    query_.sql += "struct_pack(";
    for (int field = 1; !Peek().IsSymbol(")"); ++field) {
      if (field > 1) query_.sql += ", ";
      WEIR_RETURN_IF_ERROR(StructField(field));
      if (Peek().IsSymbol(",")) Skip();
    }
    query_.sql += ")";
    Skip();
    return {};
  }

  Status StructField(int number) {
    const size_t begin = at_;
    copied_ = Peek().begin;
    std::string outer;
    std::swap(outer, query_.sql);
    std::string name = "col" + std::to_string(number);
    int depth = 0;
    while (depth > 0 || !(Peek().IsSymbol(",") || Peek().IsSymbol(")"))) {
      if (AtEnd()) return Fail(SyntaxError("struct( is never closed"));
      if (depth == 0 && Peek().IsWord("AS")) {
        Skip();
        name = Peek().text;
        Skip();
        break;
      }
      if (Peek().IsSymbol("(")) ++depth;
      if (Peek().IsSymbol(")")) --depth;
      WEIR_RETURN_IF_ERROR(Plain());
    }
    if (IsColumn(begin, at_)) name = tokens_[at_ - 1].text;
    query_.sql = outer + QuoteIdentifier(name) + " := " + query_.sql;
    copied_ = Peek().begin;
    return {};
  }

  /// Whether the words are a column alone: a, or t.a.
  bool IsColumn(size_t begin, size_t end) const {
    for (size_t i = begin; i < end; ++i) {
      if ((i - begin) % 2 == 0 ? !tokens_[i].IsName() : !tokens_[i].IsSymbol(".")) return false;
    }
    return (end - begin) % 2 == 1;
  }

  Status Source() {
    CopyGap();
    query_.spark_sql += text_.substr(spark_copied_, Peek().begin - spark_copied_);
    SourceReference source;
    source.stream = Peek().IsWord("STREAM") || AtCloudFiles();
    if (Peek().IsWord("STREAM")) {
      Skip();
      const bool brackets = Peek().IsSymbol("(");
      if (brackets) Skip();
      WEIR_RETURN_IF_ERROR(SourceBody(source));
      if (brackets && !Peek().IsSymbol(")"))
        return Fail(SyntaxError("expected ')' after the source of STREAM("));
      if (brackets) Skip();
    } else {
      WEIR_RETURN_IF_ERROR(SourceBody(source));
    }
    source.relation = prefix_ + std::to_string(query_.sources.size());
    std::string name = QuoteIdentifier(source.relation);
    if (!HasAlias())
      name += " AS " + QuoteIdentifier(source.is_files() ? "files" : source.table.last());
    query_.sql += name;
    query_.spark_sql += name;
    spark_copied_ = copied_;
    query_.sources.push_back(std::move(source));
    return {};
  }

  Status SourceBody(SourceReference& source) {
    if (Peek().IsWord("READ_FILES") && Peek(1).IsSymbol("(")) return ReadFiles(source.files);
    if (AtCloudFiles()) return CloudFiles(source.files);
    if (AtLive()) Skip(), Skip();
    if (Peek().kind == TokenKind::kString) {
      source.files.path = Peek().text;
      Skip();
      return {};
    }
    if (AtFormatPath()) {
      source.files.format = FormatName(Peek().text);
      source.files.path = Peek(2).text;
      Skip(), Skip(), Skip();
      return {};
    }
    while (Peek().IsName()) {
      source.table.parts.push_back(Peek().text);
      Skip();
      if (!Peek().IsSymbol(".")) break;
      Skip();
    }
    if (source.table.parts.empty())
      return Fail(SyntaxError("expected a table, a folder or read_files(...)"));
    if (source.stream && Peek().IsWord("WITH") && Peek(1).IsSymbol("("))
      return StreamOptions(source);
    return {};
  }

  /// WITH (readChangeFeed => true), with or without quotes, = or =>.
  Status StreamOptions(SourceReference& source) {
    Skip();
    Skip();
    const bool is_feed = EqualsIgnoreCase(Peek().text, "readChangeFeed") &&
                         (Peek(1).IsSymbol("=") || Peek(1).IsSymbol("=>")) && Peek(3).IsSymbol(")");
    if (!is_feed)
      return Fail(SyntaxError("the option of a stream of a table is readChangeFeed => true"));
    source.change_feed = EqualsIgnoreCase(Peek(2).text, "true");
    Skip(), Skip(), Skip(), Skip();
    return {};
  }

  Status ReadFiles(FileSourceSpec& files) {
    Skip();
    Skip();
    if (Peek().kind != TokenKind::kString)
      return Fail(SyntaxError("read_files takes a folder in quotes first"));
    files.path = Peek().text;
    Skip();
    while (Peek().IsSymbol(",")) {
      Skip();
      if (!Peek().IsName()) return Fail(SyntaxError("expected an option's name"));
      const std::string name = ToLowerAscii(Peek().text);
      Skip();
      if (!Peek().IsSymbol("=>") && !Peek().IsSymbol("="))
        return Fail(SyntaxError("expected => after " + name));
      Skip();
      if (Peek().kind == TokenKind::kSymbol || AtEnd())
        return Fail(SyntaxError("expected a value of " + name));
      if (name == "format") {
        files.format = FormatName(Peek().text);
      } else {
        files.options.emplace_back(name, Peek().text);
      }
      Skip();
    }
    if (!Peek().IsSymbol(")"))
      return Fail(SyntaxError("expected ')' after the options of read_files"));
    Skip();
    return {};
  }

  /// cloud_files('folder', 'format' [, map('option', 'value', ...)]): read_files, as it was before.
  Status CloudFiles(FileSourceSpec& files) {
    Skip(), Skip();
    const bool begins = Peek().kind == TokenKind::kString && Peek(1).IsSymbol(",") &&
                        Peek(2).kind == TokenKind::kString;
    if (!begins) return Fail(SyntaxError("cloud_files takes a folder and a format, in quotes"));
    files.path = Peek().text;
    files.format = FormatName(Peek(2).text);
    Skip(), Skip(), Skip();
    if (Peek().IsSymbol(",") && Peek(1).IsWord("MAP") && Peek(2).IsSymbol("(")) {
      Skip(), Skip();
      do {
        Skip();
        const bool pair = Peek().kind == TokenKind::kString && Peek(1).IsSymbol(",") &&
                          Peek(2).kind == TokenKind::kString;
        if (!pair) return Fail(SyntaxError("expected 'option', 'value' in map("));
        if (!StartsWith(ToLowerAscii(Peek().text), "cloudfiles."))
          files.options.emplace_back(ToLowerAscii(Peek().text), Peek(2).text);
        Skip(), Skip(), Skip();
      } while (Peek().IsSymbol(","));
      if (!Peek().IsSymbol(")")) return Fail(SyntaxError("expected ')' after the options of map("));
      Skip();
    }
    if (!Peek().IsSymbol(")")) return Fail(SyntaxError("expected ')' after cloud_files("));
    Skip();
    return {};
  }

  bool HasAlias() const {
    if (Peek().IsWord("AS") || Peek().kind == TokenKind::kQuotedName) return true;
    if (Peek().kind != TokenKind::kWord) return false;
    return std::ranges::none_of(kAfterTable,
                                [&](std::string_view word) { return Peek().IsWord(word); });
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::string prefix_;
  std::string catalog_;
  RewrittenQuery query_;
  size_t at_ = 0;
  size_t copied_ = 0;
  size_t spark_copied_ = 0;
};

}  // namespace

std::string SourceReference::ToString() const {
  return is_files() ? "'" + files.path + "'" : table.ToString();
}

Result<RewrittenQuery> RewriteQuery(std::string_view query, const std::string& prefix,
                                    const std::string& catalog) {
  WEIR_ASSIGN_OR_RETURN(std::vector<Token> tokens, sql::Tokenize(query));
  return Rewriter(query, std::move(tokens), prefix, catalog).Query();
}

Result<std::string> RewriteExpression(std::string_view expression) {
  WEIR_ASSIGN_OR_RETURN(RewrittenQuery query, RewriteQuery(expression, ""));
  return query.sql;
}

}  // namespace weir::pipeline
