// SPDX-License-Identifier: Apache-2.0
#include <array>

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
  std::string options;
  for (const auto& [key, value] : properties) {
    options += (options.empty() ? "" : ", ") + QuoteLiteral(key) + " = " + QuoteLiteral(value);
  }
  return "ALTER TABLE " + table.sql + " SET (" + options + ")";
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

// Each column is a struct for weir_add_columns: its path, type, comment and position.
Result<std::string> AddColumns(TokenReader& reader, const Target& table) {
  const bool many = reader.TakeSymbolIf("(");
  std::string columns;
  do {
    WEIR_ASSIGN_OR_RETURN(const std::string path, TakeColumnPath(reader));
    WEIR_ASSIGN_OR_RETURN(const std::string type, TakeType(reader));
    std::string comment;
    std::string position;
    while (!reader.AtStatementEnd() && !reader.Peek().IsSymbol(",") &&
           !reader.Peek().IsSymbol(")")) {
      if (reader.TakeIf({"COMMENT"})) {
        WEIR_ASSIGN_OR_RETURN(comment, reader.ExpectString("a comment"));
        continue;
      }
      WEIR_ASSIGN_OR_RETURN(position, TakePosition(reader));
      if (position.empty()) return Fail(reader.SyntaxError("expected COMMENT, FIRST or AFTER"));
    }
    columns += std::string(columns.empty() ? "" : ", ") + "{'name': " + QuoteLiteral(path) +
               ", 'type': " + QuoteLiteral(type) + ", 'comment': " + QuoteLiteral(comment) +
               ", 'position': " + QuoteLiteral(position) + "}";
  } while (many && reader.TakeSymbolIf(","));
  if (many) WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(")", "behind the columns"));
  return "SELECT * FROM weir_add_columns(" + table.argument + ", [" + columns + "])";
}

Result<std::string> DropColumns(TokenReader& reader, const Target& table) {
  WEIR_ASSIGN_OR_RETURN(const std::vector<std::string> columns, TakeColumnList(reader));
  return "SELECT * FROM weir_drop_columns(" + table.argument + ", " + ListLiteral(columns) + ")";
}

// ALTER COLUMN c COMMENT '..' | FIRST | AFTER d | SYNC IDENTITY | TYPE t.
Result<std::string> AlterColumn(TokenReader& reader, const Target& table) {
  WEIR_ASSIGN_OR_RETURN(const std::string column, TakeColumnPath(reader));
  const std::string head =
      "SELECT * FROM weir_alter_column(" + table.argument + ", " + QuoteLiteral(column);
  if (reader.TakeIf({"COMMENT"})) {
    WEIR_ASSIGN_OR_RETURN(const std::string comment, reader.ExpectString("a comment"));
    return head + ", comment => " + QuoteLiteral(comment) + ")";
  }
  if (reader.TakeIf({"SYNC", "IDENTITY"})) {
    return "SELECT * FROM weir_sync_identity(" + table.argument + ", " + QuoteLiteral(column) + ")";
  }
  if (reader.TakeIf({"TYPE"}) || reader.TakeIf({"SET", "DATA", "TYPE"})) {
    WEIR_ASSIGN_OR_RETURN(const std::string type, TakeType(reader));
    return head + ", \"type\" => " + QuoteLiteral(type) + ")";
  }
  WEIR_ASSIGN_OR_RETURN(const std::string position, TakePosition(reader));
  if (position.empty())
    return Fail(reader.SyntaxError("expected COMMENT, TYPE, FIRST, AFTER or SYNC IDENTITY"));
  return head + ", position => " + QuoteLiteral(position) + ")";
}

struct Action {
  std::initializer_list<std::string_view> words;
  Result<std::string> (*translate)(TokenReader&, const Target&);
};

// Longer beginnings first. What DuckDB's own grammar has (RENAME COLUMN, DROP COLUMN c, SET NOT
// NULL ...) is not here and passes through.
const std::array kActions = {
    Action{{"SET", "TBLPROPERTIES"}, SetProperties},
    Action{{"UNSET", "TBLPROPERTIES"}, UnsetProperties},
    Action{{"ADD", "CONSTRAINT"}, AddConstraint},
    Action{{"DROP", "CONSTRAINT"}, DropConstraint},
    Action{{"DROP", "FEATURE"}, DropFeature},
    Action{{"CLUSTER", "BY"}, ClusterBy},
    Action{{"ADD", "COLUMNS"}, AddColumns},
    Action{{"ADD", "COLUMN"}, AddColumns},
    Action{{"DROP", "COLUMNS"}, DropColumns},
    Action{{"ALTER", "COLUMN"}, AlterColumn},
    Action{{"CHANGE", "COLUMN"}, AlterColumn},
};

// The number of tokens up to the word behind the table's name.
size_t ActionPlace(const TokenReader& reader) {
  size_t at = 2;
  if (reader.Peek(at).IsWord("IF")) return 0;  // ALTER TABLE IF EXISTS is DuckDB's alone.
  while (reader.Peek(at).IsName() && reader.Peek(at + 1).IsSymbol(".")) at += 2;
  return reader.Peek(at).IsName() ? at + 1 : 0;
}

bool Fits(const TokenReader& reader, size_t at, const Action& action) {
  for (std::string_view word : action.words) {
    if (!reader.Peek(at++).IsWord(word)) return false;
  }
  return true;
}

bool Mentions(const TokenReader& reader, size_t at, std::initializer_list<std::string_view> words) {
  for (; reader.Peek(at).kind != TokenKind::kEnd; ++at) {
    for (std::string_view word : words) {
      if (reader.Peek(at).IsWord(word)) return true;
    }
  }
  return false;
}

// DuckDB has ADD COLUMN and ALTER COLUMN too; only what its grammar lacks is taken from it.
bool DuckDBTakes(const TokenReader& reader, size_t at, const Action& action) {
  if (action.translate == AddColumns && reader.Peek(at + 1).IsWord("COLUMN")) {
    return !Mentions(reader, at + 2,
                     {"COMMENT", "FIRST", "AFTER", "ARRAY", "MAP", "STRUCT", "STRING"});
  }
  if (action.translate == AlterColumn && reader.Peek(at).IsWord("ALTER")) {
    return !Mentions(reader, at + 2, {"COMMENT", "FIRST", "AFTER", "SYNC"});
  }
  return false;
}

const Action* FindAction(const TokenReader& reader) {
  const size_t at = ActionPlace(reader);
  if (at == 0) return nullptr;
  for (const Action& action : kActions) {
    if (Fits(reader, at, action)) return DuckDBTakes(reader, at, action) ? nullptr : &action;
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
  for (size_t i = 0; i < action->words.size(); ++i) reader.Take();
  const Target target{name.ToSql(), QuoteLiteral(name.ToSql())};
  WEIR_ASSIGN_OR_RETURN(std::string sql, action->translate(reader, target));
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  return sql;
}

}  // namespace weir::engine::spark
