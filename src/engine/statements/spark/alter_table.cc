// SPDX-License-Identifier: Apache-2.0

#include <array>
#include <initializer_list>
#include <utility>

#include "base/text.h"
#include "engine/statements/spark/translators.h"

namespace weir::engine::spark {
namespace {

using sql::Token;
using sql::TokenKind;
using sql::TokenReader;

struct Target {
  std::string sql;       // "a"."b"
  std::string argument;  // '"a"."b"'
};

Result<std::string> SetProperties(TokenReader& reader, const Target& table) {
  WEIR_ASSIGN_OR_RETURN(const auto properties, TakeProperties(reader));
  // Not a change of metadata alone: every file is written anew.
  if (properties.size() == 1 && EqualsIgnoreCase(properties[0].first, "delta.columnMapping.mode") &&
      EqualsIgnoreCase(properties[0].second, "none"))
    return "SELECT * FROM weir_remove_column_mapping(" + table.argument + ")";
  return "SELECT * FROM weir_set_properties(" + table.argument + ", " + MapLiteral(properties) +
         ")";
}

// Spark's keys stand without values, in quotes or dotted.
Result<std::string> UnsetProperties(TokenReader& reader, const Target& table) {
  const bool if_exists = reader.TakeIf({"IF", "EXISTS"});
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol("(", "before the properties"));
  std::vector<std::string> keys;
  do {
    std::string key = reader.Take().text;
    while (reader.TakeSymbolIf(".")) key += "." + reader.Take().text;
    keys.push_back(std::move(key));
  } while (reader.TakeSymbolIf(","));
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(")", "behind the properties"));
  return "SELECT * FROM weir_unset_properties(" + table.argument + ", " + ListLiteral(keys) +
         ", if_exists => " + (if_exists ? "true" : "false") + ")";
}

Result<std::string> AddConstraint(TokenReader& reader, const Target& table) {
  WEIR_ASSIGN_OR_RETURN(const std::string name, reader.ExpectName("the constraint's name"));
  WEIR_RETURN_IF_ERROR(reader.ExpectWords({"CHECK"}, "behind the constraint's name"));
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol("(", "behind CHECK"));
  WEIR_ASSIGN_OR_RETURN(
      const std::string text,
      reader.TextUntil([](const TokenReader&) { return false; }, "the condition"));
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(")", "behind the condition"));
  return "SELECT * FROM weir_add_constraint(" + table.argument + ", " + QuoteLiteral(name) + ", " +
         QuoteLiteral(RewriteText(text)) + ")";
}

Result<std::string> DropConstraint(TokenReader& reader, const Target& table) {
  const bool if_exists = reader.TakeIf({"IF", "EXISTS"});
  WEIR_ASSIGN_OR_RETURN(const std::string name, reader.ExpectName("the constraint's name"));
  return "SELECT * FROM weir_drop_constraint(" + table.argument + ", " + QuoteLiteral(name) +
         ", if_exists => " + (if_exists ? "true" : "false") + ")";
}

Result<std::string> DropFeature(TokenReader& reader, const Target& table) {
  std::string feature;
  if (reader.Peek().kind == TokenKind::kString) {
    feature = reader.Take().text;
  } else {
    WEIR_ASSIGN_OR_RETURN(feature, reader.ExpectName("the feature's name"));
    while (reader.TakeSymbolIf("-")) feature += "-" + reader.Take().text;  // typeWidening-preview
  }
  const bool truncate = reader.TakeIf({"TRUNCATE", "HISTORY"});
  return "SELECT * FROM weir_drop_feature(" + table.argument + ", " + QuoteLiteral(feature) +
         ", truncate_history => " + (truncate ? "true" : "false") + ")";
}

Result<std::string> ClusterBy(TokenReader& reader, const Target& table) {
  if (reader.TakeIf({"NONE"})) return "ALTER TABLE " + table.sql + " RESET SORTED BY";
  WEIR_ASSIGN_OR_RETURN(const std::vector<std::string> columns, TakeColumnList(reader));
  std::string list;
  for (const std::string& column : columns) list += (list.empty() ? "" : ", ") + column;
  return "ALTER TABLE " + table.sql + " SET SORTED BY (" + list + ")";
}

Result<std::string> TakeColumnPath(TokenReader& reader) {
  std::string column;
  do {
    WEIR_ASSIGN_OR_RETURN(const std::string part, reader.ExpectName("a column's name"));
    column += (column.empty() ? "" : ".") + QuoteIdentifier(part);
  } while (reader.TakeSymbolIf("."));
  return column;
}

// FIRST, or AFTER a column.
Result<std::string> TakePosition(TokenReader& reader) {
  if (reader.TakeIf({"FIRST"})) return std::string("first");
  if (!reader.TakeIf({"AFTER"})) return std::string();
  WEIR_ASSIGN_OR_RETURN(const std::string column, reader.ExpectName("a column's name"));
  return "after " + column;
}

bool AtClauseEnd(const TokenReader& reader) {
  return reader.AtStatementEnd() || reader.Peek().IsSymbol(",") || reader.Peek().IsSymbol(")");
}

// A DEFAULT up to the next clause.
Result<std::string> TakeDefault(TokenReader& reader) {
  WEIR_ASSIGN_OR_RETURN(const std::string text, reader.TextUntil(
                                                    [](const TokenReader& r) {
                                                      return r.Peek().IsSymbol(",") ||
                                                             r.LooksAt({"COMMENT"}) ||
                                                             r.LooksAt({"FIRST"}) ||
                                                             r.LooksAt({"AFTER"}) ||
                                                             r.LooksAt({"NOT", "NULL"});
                                                    },
                                                    "a default"));
  return QuoteLiteral(RewriteText(text));
}

// Each column is a struct for weir_add_columns.
Result<std::string> TakeAddedColumn(TokenReader& reader) {
  WEIR_ASSIGN_OR_RETURN(const std::string path, TakeColumnPath(reader));
  WEIR_ASSIGN_OR_RETURN(const DeclaredType type, TakeDeclaredType(reader));
  std::string comment = "NULL::VARCHAR";
  std::string default_value = "NULL::VARCHAR";
  std::string position;
  bool nullable = true;
  while (!AtClauseEnd(reader)) {
    if (reader.TakeIf({"COMMENT"})) {
      WEIR_ASSIGN_OR_RETURN(comment, reader.ExpectString("a comment"));
      comment = QuoteLiteral(comment);
    } else if (reader.TakeIf({"NOT", "NULL"})) {
      nullable = false;
    } else if (reader.TakeIf({"DEFAULT"})) {
      WEIR_ASSIGN_OR_RETURN(default_value, TakeDefault(reader));
    } else {
      WEIR_ASSIGN_OR_RETURN(position, TakePosition(reader));
      if (position.empty())
        return Fail(reader.SyntaxError("expected COMMENT, DEFAULT, NOT NULL, FIRST or AFTER"));
    }
  }
  return "{'name': " + QuoteLiteral(path) + ", 'type': " + QuoteLiteral(type.text()) +
         ", 'comment': " + comment + ", 'default': " + default_value +
         ", 'nullable': " + (nullable ? "true" : "false") +
         ", 'position': " + QuoteLiteral(position) + "}";
}

Result<std::string> AddColumns(TokenReader& reader, const Target& table) {
  const bool many = reader.TakeSymbolIf("(");
  std::string columns;
  do {
    WEIR_ASSIGN_OR_RETURN(const std::string column, TakeAddedColumn(reader));
    columns += (columns.empty() ? "" : ", ") + column;
  } while (many && reader.TakeSymbolIf(","));
  if (many) WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(")", "behind the columns"));
  return "SELECT * FROM weir_add_columns(" + table.argument + ", [" + columns + "])";
}

Result<std::string> DropColumns(TokenReader& reader, const Target& table) {
  const bool if_exists = reader.TakeIf({"IF", "EXISTS"});
  WEIR_ASSIGN_OR_RETURN(const std::vector<std::string> columns, TakeColumnList(reader));
  return "SELECT * FROM weir_drop_columns(" + table.argument + ", " + ListLiteral(columns) +
         ", if_exists => " + (if_exists ? "true" : "false") + ")";
}

// What is said of a column, as arguments of weir_alter_column.
Result<std::string> TakeColumnAction(TokenReader& reader) {
  if (reader.TakeIf({"COMMENT"})) {
    WEIR_ASSIGN_OR_RETURN(const std::string comment, reader.ExpectString("a comment"));
    return ", comment => " + QuoteLiteral(comment);
  }
  if (reader.TakeIf({"TYPE"}) || reader.TakeIf({"SET", "DATA", "TYPE"})) {
    WEIR_ASSIGN_OR_RETURN(const DeclaredType type, TakeDeclaredType(reader));
    return ", \"type\" => " + QuoteLiteral(type.text());
  }
  if (reader.TakeIf({"SET", "NOT", "NULL"})) return std::string(", nullable => false");
  if (reader.TakeIf({"DROP", "NOT", "NULL"})) return std::string(", nullable => true");
  if (reader.TakeIf({"DROP", "DEFAULT"})) return std::string(", drop_default => true");
  if (reader.TakeIf({"SET", "DEFAULT"})) {
    WEIR_ASSIGN_OR_RETURN(const std::string text, TakeDefault(reader));
    return ", \"default\" => " + text;
  }
  WEIR_ASSIGN_OR_RETURN(const std::string position, TakePosition(reader));
  if (position.empty())
    return Fail(
        reader.SyntaxError("expected COMMENT, TYPE, SET, DROP, FIRST, AFTER or SYNC IDENTITY"));
  return ", \"position\" => " + QuoteLiteral(position);
}

// ALTER COLUMN c COMMENT '..' | FIRST | AFTER d | SYNC IDENTITY | TYPE t | SET .. | DROP ..
Result<std::string> AlterColumn(TokenReader& reader, const Target& table) {
  WEIR_ASSIGN_OR_RETURN(const std::string column, TakeColumnPath(reader));
  const std::string head =
      "SELECT * FROM weir_alter_column(" + table.argument + ", " + QuoteLiteral(column);
  if (reader.TakeIf({"SYNC", "IDENTITY"})) {
    return "SELECT * FROM weir_sync_identity(" + table.argument + ", " + QuoteLiteral(column) + ")";
  }
  WEIR_ASSIGN_OR_RETURN(const std::string action, TakeColumnAction(reader));
  return head + action + ")";
}

// As ALTER COLUMN, or Hive's CHANGE c c TYPE [COMMENT '..'] [FIRST | AFTER d].
Result<std::string> ChangeColumn(TokenReader& reader, const Target& table) {
  for (std::string_view word : {"COMMENT", "TYPE", "SET", "DROP", "FIRST", "AFTER", "SYNC"}) {
    if (reader.Peek(1).IsWord(word)) return AlterColumn(reader, table);
  }
  WEIR_ASSIGN_OR_RETURN(const std::string column, TakeColumnPath(reader));
  WEIR_ASSIGN_OR_RETURN(const std::string name, reader.ExpectName("the column's name again"));
  if (!EqualsIgnoreCase(QuoteIdentifier(name), column))
    return Fail(reader.SyntaxError("CHANGE COLUMN does not rename; use RENAME COLUMN"));
  WEIR_ASSIGN_OR_RETURN(const DeclaredType type, TakeDeclaredType(reader));
  std::string actions = ", \"type\" => " + QuoteLiteral(type.text());
  while (!reader.AtStatementEnd()) {
    WEIR_ASSIGN_OR_RETURN(const std::string action, TakeColumnAction(reader));
    actions += action;
  }
  return "SELECT * FROM weir_alter_column(" + table.argument + ", " + QuoteLiteral(column) +
         actions + ")";
}

struct Action {
  sql::Keywords words;
  Result<std::string> (*translate)(TokenReader&, const Target&);
};

// Longer beginnings first. What DuckDB's own grammar has (RENAME COLUMN, DROP COLUMN c, SET NOT
// NULL ...) is not here and passes through.
constexpr Action kActions[] = {
    {{"SET", "TBLPROPERTIES"}, SetProperties}, {{"UNSET", "TBLPROPERTIES"}, UnsetProperties},
    {{"ADD", "CONSTRAINT"}, AddConstraint},    {{"DROP", "CONSTRAINT"}, DropConstraint},
    {{"DROP", "FEATURE"}, DropFeature},        {{"CLUSTER", "BY"}, ClusterBy},
    {{"ADD", "COLUMNS"}, AddColumns},          {{"ADD", "COLUMN"}, AddColumns},
    {{"DROP", "COLUMNS"}, DropColumns},        {{"ALTER", "COLUMN"}, AlterColumn},
    {{"CHANGE", "COLUMN"}, ChangeColumn},      {{"CHANGE"}, ChangeColumn},
};

// ARRAY<, MAP<, STRUCT<, CHAR(, VARCHAR(.
bool MentionsType(const TokenReader& reader, size_t at) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTypes = {
      {{"ARRAY", "<"},
       {"MAP", "<"},
       {"STRUCT", "<"},
       {"CHAR", "("},
       {"CHARACTER", "("},
       {"VARCHAR", "("}}};
  for (; reader.Peek(at).kind != TokenKind::kEnd; ++at) {
    for (const auto& [type, opening] : kTypes) {
      if (reader.Peek(at).IsWord(type) && reader.Peek(at + 1).IsSymbol(opening)) return true;
    }
  }
  return false;
}

// The number of tokens up to the word behind the table's name.
size_t ActionPlace(const TokenReader& reader) {
  size_t at = 2;
  if (reader.Peek(at).IsWord("IF")) return 0;  // ALTER TABLE IF EXISTS is DuckDB's alone.
  while (reader.Peek(at).IsName() && reader.Peek(at + 1).IsSymbol(".")) at += 2;
  return reader.Peek(at).IsName() ? at + 1 : 0;
}

bool Mentions(const TokenReader& reader, size_t at, std::initializer_list<std::string_view> words) {
  for (; reader.Peek(at).kind != TokenKind::kEnd; ++at) {
    for (std::string_view word : words) {
      if (reader.Peek(at).IsWord(word)) return true;
    }
  }
  return false;
}

// DuckDB has ADD COLUMN and ALTER COLUMN too; only what its grammar lacks is taken from it: Spark's
// clauses and types, and fields of structs in ALTER COLUMN.
bool DuckDBTakes(const TokenReader& reader, size_t at, const Action& action) {
  const bool has_spark_words =
      Mentions(reader, at + 2,
               {"COMMENT", "FIRST", "AFTER", "STRING", "TIMESTAMP_NTZ", "VOID", "TIMESTAMP_LTZ",
                "BYTE", "SHORT", "LONG", "BINARY"}) ||
      MentionsType(reader, at + 2);
  if (action.translate == AddColumns && reader.Peek(at + 1).IsWord("COLUMN")) {
    const bool if_not_exists = reader.Peek(at + 2).IsWord("IF");
    return if_not_exists || (!has_spark_words && !Mentions(reader, at + 2, {"NOT"}));
  }
  if (action.translate == AlterColumn)
    return !has_spark_words && !Mentions(reader, at + 2, {"SYNC"}) &&
           !reader.Peek(at + 3).IsSymbol(".");
  return false;
}

const Action* FindAction(const TokenReader& reader) {
  const size_t at = ActionPlace(reader);
  if (at == 0) return nullptr;
  for (const Action& action : kActions) {
    if (reader.LooksAt(action.words, at))
      return DuckDBTakes(reader, at, action) ? nullptr : &action;
  }
  return nullptr;
}

}  // namespace

bool IsSparkAlterTable(const TokenReader& reader) { return FindAction(reader) != nullptr; }

Result<std::string> TranslateAlterTable(TokenReader& reader) {
  const Action* action = FindAction(reader);
  reader.TakeIf({"ALTER", "TABLE"});
  WEIR_ASSIGN_OR_RETURN(const sql::QualifiedName name,
                        reader.ExpectQualifiedName("the table's name"));
  reader.TakeIf(action->words);
  const Target target{name.ToSql(), QuoteLiteral(name.ToSql())};
  WEIR_ASSIGN_OR_RETURN(std::string sql, action->translate(reader, target));
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  return sql;
}

}  // namespace weir::engine::spark
