// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "engine/statements/spark/translators.h"

namespace weir::engine::spark {
namespace {

using sql::Token;
using sql::TokenKind;
using sql::TokenReader;
using Properties = std::vector<std::pair<std::string, std::string>>;

// What a column may carry that DuckDB's CREATE TABLE has no word for travels in options of this
// prefix, which CREATE TABLE reads and never stores as table properties.
constexpr std::string_view kCommentOption = "weir.comment.";
constexpr std::string_view kIdentityOption = "weir.identity.";
constexpr std::string_view kTypeOption = "weir.type.";
constexpr std::string_view kTableCommentOption = "weir.comment";

Result<std::string> TakeSignedNumber(TokenReader& reader, std::string_view what) {
  std::string sign = reader.TakeSymbolIf("-") ? "-" : "";
  if (reader.Peek().kind != TokenKind::kNumber)
    return Fail(reader.SyntaxError("expected " + std::string(what)));
  return sign + reader.Take().text;
}

// Behind GENERATED ALWAYS|BY DEFAULT AS IDENTITY: [(START WITH n INCREMENT BY m)].
Result<std::string> TakeIdentity(TokenReader& reader, bool always) {
  std::string start = "1";
  std::string step = "1";
  if (reader.TakeSymbolIf("(")) {
    while (!reader.TakeSymbolIf(")")) {
      if (reader.TakeIf({"START", "WITH"})) {
        WEIR_ASSIGN_OR_RETURN(start, TakeSignedNumber(reader, "the first identity value"));
      } else if (reader.TakeIf({"INCREMENT", "BY"})) {
        WEIR_ASSIGN_OR_RETURN(step, TakeSignedNumber(reader, "the identity step"));
      } else {
        return Fail(reader.SyntaxError("expected START WITH or INCREMENT BY"));
      }
    }
  }
  return std::string(always ? "always" : "default") + "," + start + "," + step;
}

class CreateTable {
 public:
  explicit CreateTable(TokenReader& reader) : reader_(reader) {}

  Result<std::string> Translate() {
    WEIR_RETURN_IF_ERROR(TakeHead());
    if (reader_.Peek().IsSymbol("(")) WEIR_RETURN_IF_ERROR(TakeColumns());
    while (!reader_.AtStatementEnd() && !reader_.LooksAt({"AS"}))
      WEIR_RETURN_IF_ERROR(TakeClause());
    if (reader_.TakeIf({"AS"})) {
      WEIR_ASSIGN_OR_RETURN(
          const std::string query,
          reader_.TextUntil([](const TokenReader&) { return false; }, "the query"));
      query_ = RewriteText(query);
    }
    WEIR_RETURN_IF_ERROR(ExpectEnd(reader_));
    return Sql();
  }

 private:
  Status TakeHead() {
    reader_.TakeIf({"CREATE"});
    if (reader_.TakeIf({"OR", "REPLACE"}) || reader_.TakeIf({"REPLACE"})) replace_ = true;
    WEIR_RETURN_IF_ERROR(reader_.ExpectWords({"TABLE"}, "behind CREATE"));
    if_not_exists_ = reader_.TakeIf({"IF", "NOT", "EXISTS"});
    WEIR_ASSIGN_OR_RETURN(const sql::QualifiedName name,
                          reader_.ExpectQualifiedName("the table's name"));
    name_ = name.ToSql();
    return {};
  }

  Status TakeColumns() {
    WEIR_RETURN_IF_ERROR(reader_.ExpectSymbol("(", "before the columns"));
    do {
      if (reader_.LooksAt({"CONSTRAINT"}) || reader_.LooksAt({"CHECK"})) {
        WEIR_ASSIGN_OR_RETURN(const std::string text, ElementText());
        elements_.push_back(RewriteText(text));
      } else {
        WEIR_RETURN_IF_ERROR(TakeColumn());
      }
    } while (reader_.TakeSymbolIf(","));
    return reader_.ExpectSymbol(")", "behind the columns");
  }

  Result<std::string> ElementText() {
    return reader_.TextUntil([](const TokenReader& r) { return r.Peek().IsSymbol(","); },
                             "a constraint");
  }

  Status TakeColumn() {
    WEIR_ASSIGN_OR_RETURN(const std::string name, reader_.ExpectName("a column's name"));
    WEIR_ASSIGN_OR_RETURN(const DeclaredType type, TakeDeclaredType(reader_));
    std::string element = QuoteIdentifier(name) + " " + type.sql;
    if (!type.declaration.empty())
      properties_.emplace_back(std::string(kTypeOption) + name, type.declaration);
    while (!reader_.Peek().IsSymbol(",") && !reader_.Peek().IsSymbol(")")) {
      WEIR_ASSIGN_OR_RETURN(const std::string clause, TakeColumnClause(name));
      element += clause;
    }
    elements_.push_back(std::move(element));
    return {};
  }

  Result<std::string> TakeColumnClause(const std::string& column) {
    if (reader_.TakeIf({"NOT", "NULL"})) return std::string(" NOT NULL");
    if (reader_.TakeIf({"NULL"})) return std::string();
    if (reader_.TakeIf({"COMMENT"})) {
      WEIR_ASSIGN_OR_RETURN(std::string comment, reader_.ExpectString("a comment"));
      properties_.emplace_back(std::string(kCommentOption) + column, std::move(comment));
      return std::string();
    }
    if (reader_.TakeIf({"DEFAULT"})) {
      WEIR_ASSIGN_OR_RETURN(const std::string text, ClauseText("a default"));
      return " DEFAULT (" + RewriteText(text) + ")";
    }
    if (reader_.TakeIf({"GENERATED"})) return TakeGenerated(column);
    return Fail(reader_.SyntaxError("expected NOT NULL, COMMENT, DEFAULT or GENERATED"));
  }

  Result<std::string> ClauseText(std::string_view what) {
    return reader_.TextUntil(
        [](const TokenReader& r) {
          return r.Peek().IsSymbol(",") || r.LooksAt({"COMMENT"}) || r.LooksAt({"NOT", "NULL"}) ||
                 r.LooksAt({"GENERATED"});
        },
        what);
  }

  Result<std::string> TakeGenerated(const std::string& column) {
    const bool by_default = reader_.TakeIf({"BY", "DEFAULT"});
    if (!by_default) WEIR_RETURN_IF_ERROR(reader_.ExpectWords({"ALWAYS"}, "behind GENERATED"));
    WEIR_RETURN_IF_ERROR(reader_.ExpectWords({"AS"}, "behind GENERATED ALWAYS"));
    if (reader_.TakeIf({"IDENTITY"})) {
      WEIR_ASSIGN_OR_RETURN(std::string identity, TakeIdentity(reader_, !by_default));
      properties_.emplace_back(std::string(kIdentityOption) + column, std::move(identity));
      return std::string();
    }
    WEIR_ASSIGN_OR_RETURN(const std::string text, ClauseText("the generating expression"));
    return " GENERATED ALWAYS AS (" + RewriteText(text) + ")";
  }

  Status TakeClause() {
    if (reader_.TakeIf({"USING"})) {
      WEIR_ASSIGN_OR_RETURN(const std::string format, reader_.ExpectName("a format"));
      if (EqualsIgnoreCase(format, "delta")) return {};
      return Fail(InvalidArgument("DELTA_CANNOT_CREATE_NON_DELTA_TABLE",
                                  "a Weir warehouse holds Delta tables, but " + name_ +
                                      " says USING " + format +
                                      "; write USING DELTA or leave it out"));
    }
    if (reader_.TakeIf({"PARTITIONED", "BY"})) return TakeInto(partition_columns_);
    if (reader_.TakeIf({"CLUSTER", "BY"})) return TakeInto(cluster_columns_);
    if (reader_.TakeIf({"COMMENT"})) {
      WEIR_ASSIGN_OR_RETURN(std::string comment, reader_.ExpectString("a comment"));
      properties_.emplace_back(kTableCommentOption, std::move(comment));
      return {};
    }
    if (reader_.TakeIf({"TBLPROPERTIES"})) {
      WEIR_ASSIGN_OR_RETURN(const Properties properties, TakeProperties(reader_));
      properties_.insert(properties_.end(), properties.begin(), properties.end());
      return {};
    }
    if (reader_.LooksAt({"LOCATION"})) {
      return Fail(reader_.SyntaxError(
          "LOCATION has no place here: a warehouse keeps each table in its own folder; "
          "attach the folder of that location instead"));
    }
    return Fail(reader_.SyntaxError(
        "expected USING, PARTITIONED BY, CLUSTER BY, COMMENT, TBLPROPERTIES or AS"));
  }

  Status TakeInto(std::vector<std::string>& columns) {
    WEIR_ASSIGN_OR_RETURN(columns, TakeColumnList(reader_));
    return {};
  }

  static std::string Joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
    return out;
  }

  std::string Sql() const {
    std::string sql = std::string("CREATE ") + (replace_ ? "OR REPLACE " : "") + "TABLE ";
    sql += (if_not_exists_ ? "IF NOT EXISTS " : "") + name_;
    if (!elements_.empty()) sql += " (" + Joined(elements_) + ")";
    if (!partition_columns_.empty()) sql += " PARTITIONED BY (" + Joined(partition_columns_) + ")";
    if (!cluster_columns_.empty()) sql += " SORTED BY (" + Joined(cluster_columns_) + ")";
    std::string options;
    for (const auto& [key, value] : properties_) {
      options += (options.empty() ? "" : ", ") + QuoteLiteral(key) + " = " + QuoteLiteral(value);
    }
    if (!options.empty()) sql += " WITH (" + options + ")";
    if (!query_.empty()) sql += " AS " + query_;
    return sql;
  }

  TokenReader& reader_;
  bool replace_ = false;
  bool if_not_exists_ = false;
  std::string name_;
  std::vector<std::string> elements_;
  std::vector<std::string> partition_columns_;
  std::vector<std::string> cluster_columns_;
  Properties properties_;
  std::string query_;
};

// Places right behind the table's name, where [SHALLOW | DEEP] CLONE stands.
size_t BehindTableName(const TokenReader& reader) {
  size_t at = 1;
  if (reader.Peek(at).IsWord("OR")) at += 2;
  if (!reader.Peek(at).IsWord("TABLE")) return 0;
  ++at;
  if (reader.Peek(at).IsWord("IF")) at += 3;
  while (reader.Peek(at).IsName() && reader.Peek(at + 1).IsSymbol(".")) at += 2;
  return at + 1;
}

}  // namespace

Result<std::string> TranslateCreateTable(TokenReader& reader) {
  return CreateTable(reader).Translate();
}

bool IsSparkCreateTable(const TokenReader& reader) {
  const size_t start = BehindTableName(reader);
  if (start == 0) return false;
  int depth = 0;
  for (size_t at = start; reader.Peek(at).kind != TokenKind::kEnd; ++at) {
    const Token& token = reader.Peek(at);
    if (token.IsSymbol("(")) ++depth;
    if (token.IsSymbol(")")) --depth;
    if (depth == 0 && token.IsWord("AS")) return false;
    for (std::string_view word : {"USING", "TBLPROPERTIES", "CLUSTER", "COMMENT", "LOCATION"}) {
      if (depth == 0 && token.IsWord(word)) return true;
    }
    if (depth == 1 && (token.IsWord("IDENTITY") || token.IsWord("COMMENT"))) return true;
    if (depth == 1 && token.IsSymbol("<") && reader.Peek(at - 1).kind == TokenKind::kWord) {
      for (std::string_view type : {"ARRAY", "MAP", "STRUCT"}) {
        if (reader.Peek(at - 1).IsWord(type)) return true;
      }
    }
  }
  return false;
}

bool IsClone(const TokenReader& reader) {
  const size_t at = BehindTableName(reader);
  if (at == 0) return false;
  const bool kind = reader.Peek(at).IsWord("SHALLOW") || reader.Peek(at).IsWord("DEEP");
  return reader.Peek(at + (kind ? 1 : 0)).IsWord("CLONE");
}

Result<std::string> TranslateClone(TokenReader& reader) {
  WEIR_RETURN_IF_ERROR(reader.ExpectWords({"CREATE"}, "first"));
  const bool replace = reader.TakeIf({"OR", "REPLACE"});
  WEIR_RETURN_IF_ERROR(reader.ExpectWords({"TABLE"}, "behind CREATE"));
  const bool if_not_exists = reader.TakeIf({"IF", "NOT", "EXISTS"});
  WEIR_ASSIGN_OR_RETURN(const std::string target, TakeTableArgument(reader));
  const bool shallow = reader.TakeIf({"SHALLOW"});
  reader.TakeIf({"DEEP"});
  WEIR_RETURN_IF_ERROR(reader.ExpectWords({"CLONE"}, "behind the table's name"));
  WEIR_ASSIGN_OR_RETURN(const std::string source, TakeTableArgument(reader));
  WEIR_ASSIGN_OR_RETURN(const std::string at, TakeTimeTravelArgument(reader));
  Properties properties;
  if (reader.TakeIf({"TBLPROPERTIES"})) {
    WEIR_ASSIGN_OR_RETURN(properties, TakeProperties(reader));
  }
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  std::string sql = "SELECT * FROM weir_clone(" + target + ", " + source;
  sql += std::string(", shallow => ") + (shallow ? "true" : "false");
  if (replace) sql += ", replace => true";
  if (if_not_exists) sql += ", if_not_exists => true";
  if (!at.empty()) sql += ", " + at;
  if (!properties.empty()) sql += ", properties => " + MapLiteral(properties);
  return sql + ")";
}

}  // namespace weir::engine::spark
