// SPDX-License-Identifier: Apache-2.0
//
// The statements that are one word and a table: each becomes a call of the table function of that
// name.
#include "base/text.h"
#include "engine/statements/spark/translators.h"

namespace weir::engine::spark {
namespace {

using sql::TokenKind;
using sql::TokenReader;

std::string Call(std::string_view function, const std::string& arguments) {
  return "SELECT * FROM " + std::string(function) + "(" + arguments + ")";
}

// WHERE condition, as an argument; empty without one. `stops` are the words that may follow it.
Result<std::string> TakeWhereArgument(TokenReader& reader,
                                      std::initializer_list<std::string_view> stops) {
  if (!reader.TakeIf({"WHERE"})) return std::string();
  WEIR_ASSIGN_OR_RETURN(const std::string text, reader.TextUntil(
                                                    [&](const TokenReader& r) {
                                                      for (std::string_view stop : stops) {
                                                        if (r.LooksAt({stop})) return true;
                                                      }
                                                      return false;
                                                    },
                                                    "the condition"));
  return ", \"where\" => " + QuoteLiteral(RewriteText(text));
}

// The columns of TakeColumnList, or the same without brackets.
Result<std::vector<std::string>> TakeBareColumnList(TokenReader& reader) {
  if (reader.Peek().IsSymbol("(")) return TakeColumnList(reader);
  std::vector<std::string> columns;
  do {
    WEIR_ASSIGN_OR_RETURN(const sql::QualifiedName column,
                          reader.ExpectQualifiedName("a column's name"));
    columns.push_back(column.ToSql());
  } while (reader.TakeSymbolIf(","));
  return columns;
}

// A table's name, or a query in brackets.
Result<std::string> TakeInventory(TokenReader& reader) {
  WEIR_ASSIGN_OR_RETURN(const std::string text, reader.TextUntil(
                                                    [](const TokenReader& r) {
                                                      return r.LooksAt({"RETAIN"}) ||
                                                             r.LooksAt({"DRY", "RUN"}) ||
                                                             r.LooksAt({"LITE"}) ||
                                                             r.LooksAt({"FULL"});
                                                    },
                                                    "a table or a query"));
  return RewriteText(text);
}

}  // namespace

Result<std::string> TranslateDescribeHistory(TokenReader& reader) {
  reader.Take();
  reader.Take();
  WEIR_ASSIGN_OR_RETURN(const std::string table, TakeTableArgument(reader));
  std::string limit;
  if (reader.TakeIf({"LIMIT"})) limit = ", \"limit\" => " + reader.Take().text;
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  return Call("weir_history", table + limit);
}

// DESCRIBE TABLE [EXTENDED | FORMATTED] t, TABLE left out before EXTENDED. DESCRIBE t is DuckDB's.
Result<std::string> TranslateDescribeTable(TokenReader& reader) {
  reader.Take();
  reader.TakeIf({"TABLE"});
  const bool extended = reader.TakeIf({"EXTENDED"}) || reader.TakeIf({"FORMATTED"});
  WEIR_ASSIGN_OR_RETURN(const std::string table, TakeTableArgument(reader));
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  return Call("weir_describe", table + (extended ? ", extended => true" : ""));
}

Result<std::string> TranslateDescribeDetail(TokenReader& reader) {
  reader.Take();
  reader.Take();
  WEIR_ASSIGN_OR_RETURN(const std::string table, TakeTableArgument(reader));
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  return Call("weir_detail", table);
}

Result<std::string> TranslateShowProperties(TokenReader& reader) {
  reader.TakeIf({"SHOW", "TBLPROPERTIES"});
  WEIR_ASSIGN_OR_RETURN(const std::string table, TakeTableArgument(reader));
  std::string key;
  if (reader.TakeSymbolIf("(")) {
    key = reader.Take().text;
    while (reader.TakeSymbolIf(".")) key += "." + reader.Take().text;
    WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(")", "behind the property"));
  }
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  return Call("weir_properties", table + (key.empty() ? "" : ", \"key\" => " + QuoteLiteral(key)));
}

Result<std::string> TranslateOptimize(TokenReader& reader) {
  reader.TakeIf({"OPTIMIZE"});
  WEIR_ASSIGN_OR_RETURN(std::string arguments, TakeTableArgument(reader));
  if (reader.TakeIf({"FULL"})) arguments += ", \"full\" => true";
  WEIR_ASSIGN_OR_RETURN(const std::string where, TakeWhereArgument(reader, {"ZORDER"}));
  arguments += where;
  if (reader.TakeIf({"ZORDER", "BY"})) {
    WEIR_ASSIGN_OR_RETURN(const std::vector<std::string> columns, TakeBareColumnList(reader));
    arguments += ", zorder => " + ListLiteral(columns);
  }
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  return Call("weir_optimize", arguments);
}

Result<std::string> TranslateVacuum(TokenReader& reader) {
  reader.TakeIf({"VACUUM"});
  WEIR_ASSIGN_OR_RETURN(std::string arguments, TakeTableArgument(reader));
  while (!reader.AtStatementEnd()) {
    if (reader.TakeIf({"USING", "INVENTORY"})) {
      WEIR_ASSIGN_OR_RETURN(const std::string inventory, TakeInventory(reader));
      arguments += ", inventory => " + QuoteLiteral(inventory);
    } else if (reader.TakeIf({"RETAIN"})) {
      if (reader.Peek().kind != TokenKind::kNumber)
        return Fail(reader.SyntaxError("expected a number of hours"));
      arguments += ", retain_hours => " + reader.Take().text;
      WEIR_RETURN_IF_ERROR(reader.ExpectWords({"HOURS"}, "behind the number"));
    } else if (reader.TakeIf({"DRY", "RUN"})) {
      arguments += ", dry_run => true";
    } else if (reader.TakeIf({"LITE"})) {
      arguments += ", lite => true";
    } else if (!reader.TakeIf({"FULL"})) {
      return Fail(
          reader.SyntaxError("expected USING INVENTORY, RETAIN n HOURS, DRY RUN, LITE or FULL"));
    }
  }
  return Call("weir_vacuum", arguments);
}

Result<std::string> TranslateRestore(TokenReader& reader) {
  reader.TakeIf({"RESTORE"});
  reader.TakeIf({"TABLE"});
  WEIR_ASSIGN_OR_RETURN(const std::string table, TakeTableArgument(reader));
  reader.TakeIf({"TO"});
  WEIR_ASSIGN_OR_RETURN(const std::string at, TakeTimeTravelArgument(reader));
  if (at.empty())
    return Fail(reader.SyntaxError("expected TO VERSION AS OF n or TO TIMESTAMP AS OF '...'"));
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  return Call("weir_restore", table + ", " + at);
}

Result<std::string> TranslateReorg(TokenReader& reader) {
  reader.TakeIf({"REORG", "TABLE"});
  WEIR_ASSIGN_OR_RETURN(std::string arguments, TakeTableArgument(reader));
  WEIR_ASSIGN_OR_RETURN(const std::string where, TakeWhereArgument(reader, {"APPLY"}));
  arguments += where;
  WEIR_RETURN_IF_ERROR(reader.ExpectWords({"APPLY"}, "behind the table"));
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol("(", "behind APPLY"));
  std::string_view function = "weir_reorg";
  if (reader.TakeIf({"UPGRADE", "UNIFORM"})) {
    if (!where.empty()) return Fail(reader.SyntaxError("UPGRADE UNIFORM takes no WHERE"));
    function = "weir_upgrade_uniform";
    WEIR_RETURN_IF_ERROR(reader.ExpectSymbol("(", "behind UNIFORM"));
    WEIR_RETURN_IF_ERROR(reader.ExpectWords({"ICEBERG_COMPAT_VERSION"}, "in UPGRADE UNIFORM"));
    WEIR_RETURN_IF_ERROR(reader.ExpectSymbol("=", "behind ICEBERG_COMPAT_VERSION"));
    arguments += ", " + reader.Take().text;
    WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(")", "behind the version"));
  } else {
    WEIR_RETURN_IF_ERROR(reader.ExpectWords({"PURGE"}, "in APPLY"));
  }
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(")", "to close APPLY"));
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  return Call(function, arguments);
}

Result<std::string> TranslateConvert(TokenReader& reader) {
  reader.TakeIf({"CONVERT", "TO", "DELTA"});
  if (reader.LooksAt({"PARQUET"})) {
    reader.Take();
    WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(".", "behind parquet"));
  }
  std::string arguments;
  if (reader.Peek().kind == TokenKind::kString) {
    arguments = QuoteLiteral(reader.Take().text);
  } else {
    WEIR_ASSIGN_OR_RETURN(const std::string path, reader.ExpectName("parquet.`path`"));
    arguments = QuoteLiteral(path);
  }
  if (reader.TakeIf({"NO", "STATISTICS"})) arguments += ", statistics => false";
  if (reader.TakeIf({"PARTITIONED", "BY"})) {
    WEIR_RETURN_IF_ERROR(reader.ExpectSymbol("(", "before the partition columns"));
    std::string columns;
    do {
      WEIR_ASSIGN_OR_RETURN(const std::string name, reader.ExpectName("a column's name"));
      WEIR_ASSIGN_OR_RETURN(const std::string type, TakeType(reader));
      columns += (columns.empty() ? "" : ", ") + QuoteLiteral(name) + ": " + QuoteLiteral(type);
    } while (reader.TakeSymbolIf(","));
    WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(")", "behind the partition columns"));
    arguments += ", partitioned_by => MAP {" + columns + "}";
  }
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  return Call("weir_convert", arguments);
}

// A warehouse is a folder of tables and keeps nothing of those that are dropped.
Result<std::string> TranslateUndrop(TokenReader& reader) {
  reader.TakeIf({"UNDROP"});
  reader.TakeIf({"TABLE"});
  WEIR_ASSIGN_OR_RETURN(const std::string table, TakeTableArgument(reader));
  return Fail(UnsupportedFeature(
      "WEIR_UNDROP_NOT_SUPPORTED",
      "UNDROP TABLE " + table +
          ": DROP TABLE deletes a table's folder when its transaction commits. Before that "
          "ROLLBACK brings the table back; behind it, put the folder back from a backup, or make "
          "the table anew from a DEEP CLONE",
      "0A000"));
}

Result<std::string> TranslateGenerate(TokenReader& reader) {
  reader.TakeIf({"GENERATE"});
  std::string mode;
  if (reader.Peek().kind == TokenKind::kString) {
    mode = reader.Take().text;
  } else {
    WEIR_ASSIGN_OR_RETURN(mode,
                          reader.ExpectName("what to generate, e.g. symlink_format_manifest"));
  }
  WEIR_RETURN_IF_ERROR(reader.ExpectWords({"FOR", "TABLE"}, "behind what to generate"));
  WEIR_ASSIGN_OR_RETURN(const std::string table, TakeTableArgument(reader));
  WEIR_RETURN_IF_ERROR(ExpectEnd(reader));
  return Call("weir_generate", table + ", " + QuoteLiteral(mode));
}

}  // namespace weir::engine::spark
