// SPDX-License-Identifier: Apache-2.0
//
// INSERT, UPDATE and MERGE in what Spark's grammar has and DuckDB's has not: WITH SCHEMA EVOLUTION,
// OVERWRITE, PARTITION (...), REPLACE WHERE, INTO TABLE, qualified and nested names in SET. All
// else stays as it was written.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "engine/statements/spark/translators.h"
#include "engine/statements/write_mode.h"

namespace weir::engine::spark {
namespace {

using sql::Token;
using sql::TokenKind;
using sql::TokenReader;

bool StartsQuery(const TokenReader& reader) {
  for (std::string_view word : {"SELECT", "VALUES", "FROM", "WITH", "TABLE"}) {
    if (reader.LooksAt({word})) return true;
  }
  return false;
}

// One assignment of a SET list: its path as written, and the text of its value.
struct Assignment {
  std::vector<std::string> path;
  std::string value;
};

// The values that nested names give to parts of one column.
struct NestedValue {
  std::string name;
  std::string value;  // of a leaf
  std::vector<NestedValue> parts;

  void Put(const std::vector<std::string>& path, size_t at, const std::string& text) {
    if (at == path.size()) {
      value = text;
      return;
    }
    auto part = std::find_if(parts.begin(), parts.end(), [&](const NestedValue& known) {
      return EqualsIgnoreCase(known.name, path[at]);
    });
    if (part == parts.end())
      part = parts.insert(part, {.name = path[at], .value = {}, .parts = {}});
    part->Put(path, at + 1, text);
  }

  // `place` is the SQL of what is there now.
  std::string ToSql(const std::string& place) const {
    if (parts.empty()) return value;
    std::string sql = "struct_update(" + place;
    for (const auto& part : parts) {
      const std::string quoted = QuoteIdentifier(part.name);
      sql += ", " + quoted + " := " + part.ToSql(place + "." + quoted);
    }
    return sql + ")";
  }
};

class RowStatement {
 public:
  RowStatement(std::string_view text, TokenReader reader, bool evolves)
      : text_(text), reader_(std::move(reader)), evolves_(evolves) {}

  Result<std::string> Run() {
    int depth = 0;
    for (bool is_first = true; !reader_.AtEnd(); is_first = false) {
      if (depth == 0 && !(is_first && reader_.LooksAt({"WITH"}))) {
        if (reader_.LooksAt({"MERGE", "INTO"}) || reader_.LooksAt({"MERGE", "WITH"})) {
          return Merge();
        }
        if (reader_.LooksAt({"INSERT"})) return Insert();
        if (reader_.LooksAt({"UPDATE"}) && !reader_.Peek(1).IsWord("AS")) return Update();
      }
      depth += DepthOf(reader_.Take());
    }
    return std::string(text_);
  }

 private:
  static int DepthOf(const Token& token) {
    if (token.IsSymbol("(") || token.IsSymbol("[") || token.IsSymbol("{")) return 1;
    if (token.IsSymbol(")") || token.IsSymbol("]") || token.IsSymbol("}")) return -1;
    return 0;
  }

  // Copies the text up to the next word, then puts `replacement` where the text up to `end` was.
  void Replace(size_t begin, size_t end, const std::string& replacement) {
    out_ += text_.substr(copied_, begin - copied_);
    out_ += replacement;
    copied_ = end;
  }

  std::string Rest() {
    out_ += text_.substr(copied_);
    return std::move(out_);
  }

  Result<sql::QualifiedName> TakeTarget() {
    return reader_.ExpectQualifiedName("the table's name");
  }

  static std::string NameOf(sql::QualifiedName name, WriteTarget target) {
    target.name = name.parts.back();
    name.parts.back() = EncodeWriteTarget(target);
    return name.ToSql();
  }

  Result<std::string> Merge() {
    const size_t begin = reader_.Take().begin;
    if (reader_.TakeIf({"WITH", "SCHEMA", "EVOLUTION"})) evolves_ = true;
    WEIR_RETURN_IF_ERROR(reader_.ExpectWords({"INTO"}, "behind MERGE"));
    WEIR_ASSIGN_OR_RETURN(const sql::QualifiedName name, TakeTarget());
    WriteTarget target;
    target.evolves = evolves_;
    target.is_pending = true;
    Replace(begin, reader_.Peek().begin, "MERGE INTO " + NameOf(name, target) + " ");
    TakeAlias(name);
    while (!reader_.AtEnd()) {
      if (reader_.TakeIf({"UPDATE", "SET"})) {
        SetList([](const TokenReader& at) {
          return at.LooksAt({"WHEN"}) || at.LooksAt({"RETURNING"});
        });
      } else {
        reader_.Take();
      }
    }
    return Rest();
  }

  Result<std::string> Update() {
    reader_.Take();
    auto name = TakeTarget();
    if (!name) return std::string(text_);
    TakeAlias(*name);
    if (!reader_.TakeIf({"SET"})) return std::string(text_);
    SetList([this](const TokenReader& at) {
      return (at.LooksAt({"FROM"}) && !is_behind_distinct_) || at.LooksAt({"WHERE"}) ||
             at.LooksAt({"RETURNING"});
    });
    return Rest();
  }

  void TakeAlias(const sql::QualifiedName& name) {
    qualifiers_ = name.parts;
    const bool has_alias = reader_.TakeIf({"AS"});
    for (std::string_view word : {"USING", "SET"}) {
      if (!has_alias && reader_.LooksAt({word})) return;
    }
    if (!reader_.Peek().IsName()) return;
    qualifiers_ = {reader_.Take().text};
  }

  // How many parts in front of `path` name the target.
  size_t QualifierLength(const std::vector<std::string>& path) const {
    const size_t longest = std::min(qualifiers_.size(), path.size() - 1);
    for (size_t length = 1; length <= longest; length++) {
      bool is_same = true;
      for (size_t i = 0; i < length; i++) {
        is_same =
            is_same && EqualsIgnoreCase(path[i], qualifiers_[qualifiers_.size() - length + i]);
      }
      if (is_same) return length;
    }
    return 0;
  }

  // Rewrites a list of assignments that has qualified names; leaves any other as it is.
  template <typename Stop>
  void SetList(Stop stop) {
    const size_t begin = reader_.Peek().begin;
    std::vector<Assignment> assignments;
    bool is_qualified = false;
    do {
      Assignment assignment;
      do {
        if (!reader_.Peek().IsName()) return;
        assignment.path.push_back(reader_.Take().text);
      } while (reader_.TakeSymbolIf("."));
      if (!reader_.TakeSymbolIf("=")) return;
      assignment.value = TakeValue(stop);
      is_qualified = is_qualified || assignment.path.size() > 1;
      assignments.push_back(std::move(assignment));
    } while (reader_.TakeSymbolIf(","));
    if (is_qualified) Replace(begin, end_of_value_, Assignments(assignments));
  }

  std::string Assignments(const std::vector<Assignment>& assignments) const {
    std::vector<std::pair<std::string, NestedValue>> columns;
    for (const auto& [path, value] : assignments) {
      const size_t start = QualifierLength(path);
      const bool is_nested = start + 1 < path.size();
      auto column = std::find_if(columns.begin(), columns.end(), [&](const auto& known) {
        return is_nested && EqualsIgnoreCase(known.first, path[start]) &&
               !known.second.parts.empty();
      });
      if (column == columns.end()) column = columns.insert(column, {path[start], NestedValue{}});
      column->second.Put(path, start + 1, value);
    }
    std::string sql;
    for (const auto& [name, value] : columns) {
      const std::string quoted = QuoteIdentifier(name);
      sql += (sql.empty() ? "" : ", ") + quoted + " = " +
             value.ToSql(QuoteIdentifier(qualifiers_.back()) + "." + quoted);
    }
    return sql;
  }

  // The text up to the next comma or `stop` outside of brackets and of CASE.
  template <typename Stop>
  std::string TakeValue(Stop stop) {
    const size_t begin = reader_.Peek().begin;
    int depth = 0;
    is_behind_distinct_ = false;
    while (!reader_.AtStatementEnd() &&
           (depth > 0 || !(reader_.Peek().IsSymbol(",") || stop(reader_)))) {
      const Token& token = reader_.Peek();
      depth += DepthOf(token) + (token.IsWord("CASE") ? 1 : 0) - (token.IsWord("END") ? 1 : 0);
      is_behind_distinct_ = token.IsWord("DISTINCT");
      end_of_value_ = reader_.Take().end;
    }
    return std::string(text_.substr(begin, end_of_value_ - begin));
  }

  Result<std::string> Insert() {
    const size_t begin = reader_.Take().begin;
    WriteTarget target;
    if (reader_.TakeIf({"WITH", "SCHEMA", "EVOLUTION"})) evolves_ = true;
    target.evolves = evolves_;
    const bool overwrites = reader_.TakeIf({"OVERWRITE"});
    const bool appends = reader_.TakeIf({"INTO"});
    if (!overwrites && !appends) return std::string(text_);
    if (overwrites) target.mode = WriteMode::kOverwrite;
    const bool has_word = reader_.TakeIf({"TABLE"});
    WEIR_ASSIGN_OR_RETURN(const sql::QualifiedName name, TakeTarget());
    if (reader_.TakeIf({"PARTITION"})) WEIR_RETURN_IF_ERROR(PartitionValues(target));
    const std::string by_name = reader_.TakeIf({"BY", "NAME"}) ? "BY NAME " : "";
    if (reader_.TakeIf({"REPLACE", "WHERE"})) {
      target.mode = WriteMode::kReplaceWhere;
      WEIR_ASSIGN_OR_RETURN(target.condition, reader_.TextUntil(StartsQuery, "the condition"));
    }
    if (!has_word && !evolves_ && target.mode == WriteMode::kAppend && target.partition.empty()) {
      return std::string(text_);  // DuckDB's own
    }
    target.is_pending = overwrites || evolves_ || !target.partition.empty();
    Replace(begin, reader_.Peek().begin, "INSERT INTO " + NameOf(name, target) + " " + by_name);
    if (reader_.AtStatementEnd()) return Fail(reader_.SyntaxError("expected the rows to insert"));
    return Rest();
  }

  // (p = 'a', q)
  Status PartitionValues(WriteTarget& target) {
    WEIR_RETURN_IF_ERROR(reader_.ExpectSymbol("(", "behind PARTITION"));
    do {
      WEIR_ASSIGN_OR_RETURN(std::string column, reader_.ExpectName("a partition column"));
      std::string value;
      if (reader_.TakeSymbolIf("=")) {
        WEIR_ASSIGN_OR_RETURN(
            value, reader_.TextUntil([](const TokenReader& at) { return at.Peek().IsSymbol(","); },
                                     "the partition's value"));
      }
      target.partition.emplace_back(std::move(column), std::move(value));
    } while (reader_.TakeSymbolIf(","));
    return reader_.ExpectSymbol(")", "behind the partition's values");
  }

  std::string_view text_;
  TokenReader reader_;
  bool evolves_;
  std::string out_;
  size_t copied_ = 0;
  std::vector<std::string> qualifiers_;
  bool is_behind_distinct_ = false;
  size_t end_of_value_ = 0;
};

}  // namespace

Result<std::string> RewriteRowStatement(const std::string& sql, bool evolves) {
  auto tokens = sql::Tokenize(sql);
  if (!tokens) return sql;
  TokenReader reader(sql, std::move(*tokens), "");
  for (std::string_view word : {"INSERT", "UPDATE", "MERGE", "WITH", "EXPLAIN"}) {
    if (reader.LooksAt({word})) return RowStatement(sql, std::move(reader), evolves).Run();
  }
  return sql;
}

}  // namespace weir::engine::spark
