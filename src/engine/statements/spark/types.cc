// SPDX-License-Identifier: Apache-2.0
#include "delta/schema/types.h"

#include <array>
#include <utility>

#include "base/text.h"
#include "delta/schema/text_lengths.h"
#include "engine/statements/spark/translators.h"

namespace weir::engine::spark {
namespace {

using delta::DataType;
using delta::TypeKind;
using sql::TokenKind;
using sql::TokenReader;

struct PrimitiveName {
  std::string_view spark;
  std::string_view duckdb;
  TypeKind kind;
};

constexpr std::array kNames = {
    PrimitiveName{"STRING", "VARCHAR", TypeKind::kString},
    PrimitiveName{"BYTE", "TINYINT", TypeKind::kByte},
    PrimitiveName{"TINYINT", "TINYINT", TypeKind::kByte},
    PrimitiveName{"SHORT", "SMALLINT", TypeKind::kShort},
    PrimitiveName{"SMALLINT", "SMALLINT", TypeKind::kShort},
    PrimitiveName{"INT", "INTEGER", TypeKind::kInteger},
    PrimitiveName{"INTEGER", "INTEGER", TypeKind::kInteger},
    PrimitiveName{"LONG", "BIGINT", TypeKind::kLong},
    PrimitiveName{"BIGINT", "BIGINT", TypeKind::kLong},
    PrimitiveName{"FLOAT", "FLOAT", TypeKind::kFloat},
    PrimitiveName{"REAL", "FLOAT", TypeKind::kFloat},
    PrimitiveName{"DOUBLE", "DOUBLE", TypeKind::kDouble},
    PrimitiveName{"BOOLEAN", "BOOLEAN", TypeKind::kBoolean},
    PrimitiveName{"BINARY", "BLOB", TypeKind::kBinary},
    PrimitiveName{"DATE", "DATE", TypeKind::kDate},
    PrimitiveName{"TIMESTAMP", "TIMESTAMP WITH TIME ZONE", TypeKind::kTimestamp},
    PrimitiveName{"TIMESTAMP_LTZ", "TIMESTAMP WITH TIME ZONE", TypeKind::kTimestamp},
    PrimitiveName{"TIMESTAMP_NTZ", "TIMESTAMP", TypeKind::kTimestampNtz},
    PrimitiveName{"VARIANT", "VARIANT", TypeKind::kVariant},
    PrimitiveName{"VOID", "\"NULL\"", TypeKind::kVoid},
};

// A type in both languages. DuckDB's has no place for what `says_more` of a field within it.
struct TakenType {
  std::string sql;
  delta::TypePtr type;
  bool says_more = false;
};

Result<TakenType> Take(TokenReader& reader);

// Spark closes ARRAY<ARRAY<INT>> with a token that the cutter sees as two '>' symbols.
Status CloseAngle(TokenReader& reader) { return reader.ExpectSymbol(">", "to close the type"); }

Result<TakenType> TakeStruct(TokenReader& reader) {
  TakenType taken;
  std::vector<delta::StructField> fields;
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol("<", "behind STRUCT"));
  do {
    delta::StructField field;
    WEIR_ASSIGN_OR_RETURN(field.name, reader.ExpectName("a field's name"));
    reader.TakeSymbolIf(":");
    WEIR_ASSIGN_OR_RETURN(TakenType member, Take(reader));
    field.type = member.type;
    field.nullable = !reader.TakeIf({"NOT", "NULL"});
    if (reader.TakeIf({"COMMENT"})) {
      WEIR_ASSIGN_OR_RETURN(std::string comment, reader.ExpectString("a comment"));
      field.metadata.Set("comment", JsonValue::String(std::move(comment)));
      taken.says_more = true;
    }
    taken.says_more = taken.says_more || member.says_more || !field.nullable;
    taken.sql += (taken.sql.empty() ? "" : ", ") + QuoteIdentifier(field.name) + " " + member.sql;
    fields.push_back(std::move(field));
  } while (reader.TakeSymbolIf(","));
  WEIR_RETURN_IF_ERROR(CloseAngle(reader));
  taken.sql = "STRUCT(" + taken.sql + ")";
  taken.type = DataType::Struct(std::move(fields));
  return taken;
}

Result<TakenType> TakeArray(TokenReader& reader) {
  WEIR_ASSIGN_OR_RETURN(const TakenType element, Take(reader));
  WEIR_RETURN_IF_ERROR(CloseAngle(reader));
  return TakenType{element.sql + "[]", DataType::Array(element.type, true), element.says_more};
}

Result<TakenType> TakeMap(TokenReader& reader) {
  WEIR_ASSIGN_OR_RETURN(const TakenType key, Take(reader));
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(",", "between key and value"));
  WEIR_ASSIGN_OR_RETURN(const TakenType value, Take(reader));
  WEIR_RETURN_IF_ERROR(CloseAngle(reader));
  return TakenType{"MAP(" + key.sql + ", " + value.sql + ")",
                   DataType::Map(key.type, value.type, true), key.says_more || value.says_more};
}

Result<TakenType> TakeDecimal(TokenReader& reader) {
  std::string arguments = "10,0";
  if (reader.TakeSymbolIf("(")) {
    arguments = reader.Take().text;
    arguments += "," + (reader.TakeSymbolIf(",") ? reader.Take().text : std::string("0"));
    WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(")", "behind DECIMAL"));
  }
  TakenType taken{"DECIMAL(" + arguments + ")", nullptr};
  WEIR_ASSIGN_OR_RETURN(taken.type, delta::ParsePrimitiveType("decimal(" + arguments + ")"));
  return taken;
}

// CHAR(n) or VARCHAR(n), whose length DuckDB's VARCHAR does not have.
Result<TakenType> TakeText(TokenReader& reader, const std::string& name) {
  if (!reader.TakeSymbolIf("(")) {
    return Fail(InvalidArgument(
        "DATATYPE_MISSING_SIZE",
        "type " + name + " needs a length, as in " + name + "(10); text of any length is a STRING",
        "42K01"));
  }
  const auto length = ParseInt64(reader.Peek().text);
  if (!length || *length < 1 || *length > INT32_MAX)
    return Fail(reader.SyntaxError("expected a length from 1 on"));
  reader.Take();
  WEIR_RETURN_IF_ERROR(reader.ExpectSymbol(")", "behind the length"));
  const std::string text =
      (EqualsIgnoreCase(name, "VARCHAR") ? "varchar(" : "char(") + std::to_string(*length) + ")";
  return TakenType{"VARCHAR", DataType::Text(text), true};
}

Result<TakenType> Take(TokenReader& reader) {
  WEIR_ASSIGN_OR_RETURN(const std::string name, reader.ExpectName("a data type"));
  if (EqualsIgnoreCase(name, "ARRAY") && reader.TakeSymbolIf("<")) return TakeArray(reader);
  if (EqualsIgnoreCase(name, "MAP") && reader.TakeSymbolIf("<")) return TakeMap(reader);
  if (EqualsIgnoreCase(name, "STRUCT") && reader.Peek().IsSymbol("<")) return TakeStruct(reader);
  for (std::string_view decimal : {"DECIMAL", "DEC", "NUMERIC"}) {
    if (EqualsIgnoreCase(name, decimal)) return TakeDecimal(reader);
  }
  for (std::string_view text : {"CHAR", "CHARACTER", "VARCHAR"}) {
    if (EqualsIgnoreCase(name, text)) return TakeText(reader, name);
  }
  for (const PrimitiveName& primitive : kNames) {
    if (EqualsIgnoreCase(name, primitive.spark))
      return TakenType{std::string(primitive.duckdb), DataType::Primitive(primitive.kind)};
  }
  return Fail(reader.SyntaxError("'" + name + "' is no data type of Delta's"));
}

}  // namespace

Result<std::string> TakeType(TokenReader& reader) {
  WEIR_ASSIGN_OR_RETURN(TakenType taken, Take(reader));
  return std::move(taken.sql);
}

Result<DeclaredType> TakeDeclaredType(TokenReader& reader) {
  WEIR_ASSIGN_OR_RETURN(TakenType taken, Take(reader));
  DeclaredType declared{std::move(taken.sql), {}};
  if (taken.says_more) declared.declaration = delta::TypeDeclaration(taken.type);
  return declared;
}

}  // namespace weir::engine::spark
