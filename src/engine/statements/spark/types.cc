// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include "base/text.h"
#include "engine/statements/spark/translators.h"

namespace weir::engine::spark {
namespace {

using sql::TokenKind;
using sql::TokenReader;

constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kNames = {{
    {"STRING", "VARCHAR"},
    {"BYTE", "TINYINT"},
    {"TINYINT", "TINYINT"},
    {"SHORT", "SMALLINT"},
    {"SMALLINT", "SMALLINT"},
    {"INT", "INTEGER"},
    {"INTEGER", "INTEGER"},
    {"LONG", "BIGINT"},
    {"BIGINT", "BIGINT"},
    {"FLOAT", "FLOAT"},
    {"REAL", "FLOAT"},
    {"DOUBLE", "DOUBLE"},
    {"BOOLEAN", "BOOLEAN"},
    {"BINARY", "BLOB"},
    {"DATE", "DATE"},
    {"TIMESTAMP", "TIMESTAMP WITH TIME ZONE"},
    {"TIMESTAMP_LTZ", "TIMESTAMP WITH TIME ZONE"},
    {"TIMESTAMP_NTZ", "TIMESTAMP"},
    {"VARIANT", "VARIANT"},
    {"VOID", "\"NULL\""},
}};

// Spark closes ARRAY<ARRAY<INT>> with a token that the cutter sees as two '>' symbols.
Status CloseAngle(TokenReader& reader) { return reader.ExpectSymbol(">", "to close the type"); }

Result<std::string> TakeStruct(TokenReader& reader) {
  std::string fields;
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol("<", "behind STRUCT"));
  do {
    WEIR_ASSIGN_OR_RETURN(const std::string name, reader.ExpectName("a field's name"));
    reader.TakeSymbolIf(":");
    WEIR_ASSIGN_OR_RETURN(const std::string type, TakeType(reader));
    // A nested NOT NULL has no place in DuckDB's types; it would be lost without a word.
    if (reader.LooksAt({"NOT", "NULL"}))
      return Fail(reader.SyntaxError("NOT NULL inside a STRUCT is not supported"));
    if (reader.TakeIf({"COMMENT"})) {
      WEIR_ASSIGN_OR_RETURN(const std::string comment, reader.ExpectString("a comment"));
    }
    fields += (fields.empty() ? "" : ", ") + QuoteIdentifier(name) + " " + type;
  } while (reader.TakeSymbolIf(","));
  WEIR_RETURN_IF_ERROR(CloseAngle(reader));
  return "STRUCT(" + fields + ")";
}

Result<std::string> TakeDecimal(TokenReader& reader) {
  if (!reader.TakeSymbolIf("(")) return std::string("DECIMAL(10,0)");
  std::string arguments = reader.Take().text;
  if (reader.TakeSymbolIf(",")) {
    arguments += "," + reader.Take().text;
  } else {
    arguments += ",0";
  }
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(")", "behind DECIMAL"));
  return "DECIMAL(" + arguments + ")";
}

}  // namespace

Result<std::string> TakeType(TokenReader& reader) {
  WEIR_ASSIGN_OR_RETURN(const std::string name, reader.ExpectName("a data type"));
  if (EqualsIgnoreCase(name, "ARRAY") && reader.TakeSymbolIf("<")) {
    WEIR_ASSIGN_OR_RETURN(const std::string element, TakeType(reader));
    WEIR_RETURN_IF_ERROR(CloseAngle(reader));
    return element + "[]";
  }
  if (EqualsIgnoreCase(name, "MAP") && reader.TakeSymbolIf("<")) {
    WEIR_ASSIGN_OR_RETURN(const std::string key, TakeType(reader));
    WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(",", "between key and value"));
    WEIR_ASSIGN_OR_RETURN(const std::string value, TakeType(reader));
    WEIR_RETURN_IF_ERROR(CloseAngle(reader));
    return "MAP(" + key + ", " + value + ")";
  }
  if (EqualsIgnoreCase(name, "STRUCT") && reader.Peek().IsSymbol("<")) return TakeStruct(reader);
  for (std::string_view decimal : {"DECIMAL", "DEC", "NUMERIC"}) {
    if (EqualsIgnoreCase(name, decimal)) return TakeDecimal(reader);
  }
  for (const auto& [spark_name, duckdb_name] : kNames) {
    if (EqualsIgnoreCase(name, spark_name)) return std::string(duckdb_name);
  }
  return Fail(reader.SyntaxError("'" + name + "' is no data type of Delta's"));
}

}  // namespace weir::engine::spark
