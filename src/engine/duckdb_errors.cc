// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb_errors.h"

#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "duckdb/common/exception.hpp"

#include "base/text.h"
#include "engine/statements/write_mode.h"

namespace weir::engine {
namespace {

constexpr const char* kKindKey = "weir_error_kind";
constexpr std::string_view kSqlStatePrefix = " (SQLSTATE: ";

duckdb::ExceptionType ExceptionTypeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kNotFound:
    case ErrorKind::kAlreadyExists:
      return duckdb::ExceptionType::CATALOG;
    case ErrorKind::kConflictRetryable:
    case ErrorKind::kConflictFinal:
    case ErrorKind::kStateUnknown:
      return duckdb::ExceptionType::TRANSACTION;
    case ErrorKind::kUnsupportedFeature:
      return duckdb::ExceptionType::NOT_IMPLEMENTED;
    case ErrorKind::kConstraintViolated:
      return duckdb::ExceptionType::CONSTRAINT;
    case ErrorKind::kIo:
      return duckdb::ExceptionType::IO;
    // INTERNAL would mark the whole DuckDB instance as broken, which it is not.
    case ErrorKind::kInternal:
    case ErrorKind::kCorruptLog:
    case ErrorKind::kInvalidArgument:
      return duckdb::ExceptionType::INVALID_INPUT;
  }
  return duckdb::ExceptionType::INVALID_INPUT;
}

ErrorKind KindOf(duckdb::ExceptionType type) {
  switch (type) {
    case duckdb::ExceptionType::CONSTRAINT:
      return ErrorKind::kConstraintViolated;
    case duckdb::ExceptionType::NOT_IMPLEMENTED:
    case duckdb::ExceptionType::MISSING_EXTENSION:
      return ErrorKind::kUnsupportedFeature;
    case duckdb::ExceptionType::IO:
    case duckdb::ExceptionType::HTTP:
    case duckdb::ExceptionType::NETWORK:
    case duckdb::ExceptionType::OUT_OF_MEMORY:
      return ErrorKind::kIo;
    case duckdb::ExceptionType::INTERNAL:
    case duckdb::ExceptionType::FATAL:
      return ErrorKind::kInternal;
    default:
      return ErrorKind::kInvalidArgument;
  }
}

// A name in brackets, `[DELTA_TABLE_NOT_FOUND] `, at the start of the message or behind a ": " that
// DuckDB put before it ("Failed to commit: [...").
struct Named {
  std::string_view name;
  std::string_view rest;
};

std::optional<Named> FindName(std::string_view message) {
  for (size_t open = message.find('['); open != std::string_view::npos;
       open = message.find('[', open + 1)) {
    if (open != 0 && !EndsWith(message.substr(0, open), ": ")) continue;
    size_t close = open + 1;
    bool underscore = false;
    while (close < message.size()) {
      const unsigned char c = message[close];
      if (std::isupper(c) == 0 && std::isdigit(c) == 0 && c != '_' && c != '.') break;
      underscore |= c == '_';
      ++close;
    }
    if (!underscore || message.substr(close, 2) != "] ") continue;
    return Named{message.substr(open + 1, close - open - 1), message.substr(close + 2)};
  }
  return std::nullopt;
}

// What DuckDB finds itself, by the name that Spark gives it: the first row that fits. `words` are
// in DuckDB's message; where they are empty the type of the exception tells all.
struct DuckDBError {
  duckdb::ExceptionType type;
  std::string_view words;
  const char* name;
  const char* sqlstate;
};

using Type = duckdb::ExceptionType;
constexpr const char* kUnresolvedColumn = "UNRESOLVED_COLUMN.WITH_SUGGESTION";
constexpr DuckDBError kDuckDBErrors[] = {
    {Type::PARSER, "syntax error", "PARSE_SYNTAX_ERROR", "42601"},
    {Type::PARSER, "SELECT clause without selection list", "PARSE_SYNTAX_ERROR", "42601"},
    {Type::SYNTAX, "", "PARSE_SYNTAX_ERROR", "42601"},
    {Type::PARSER, "Unconditional WHEN MATCHED clause", "NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION",
     "42601"},
    {Type::PARSER, "Unconditional WHEN NOT MATCHED BY SOURCE clause",
     "NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION", "42601"},
    {Type::PARSER, "Unconditional WHEN NOT MATCHED",
     "NON_LAST_NOT_MATCHED_BY_TARGET_CLAUSE_OMIT_CONDITION", "42601"},
    {Type::BINDER, "Multiple assignments to same column", "DELTA_CONFLICT_SET_COLUMN", "42701"},
    {Type::BINDER, "Referenced column ", kUnresolvedColumn, "42703"},
    {Type::BINDER, "does not have a column", kUnresolvedColumn, "42703"},
    {Type::BINDER, "Referenced update column", kUnresolvedColumn, "42703"},
    {Type::BINDER, "Referenced table ", kUnresolvedColumn, "42703"},
    {Type::BINDER, "Ambiguous reference to column", "AMBIGUOUS_REFERENCE", "42704"},
    {Type::BINDER, "Could not find key ", "FIELD_NOT_FOUND", "42704"},
    {Type::BINDER, "must appear in the GROUP BY clause", "MISSING_AGGREGATION", "42803"},
    {Type::BINDER, "Duplicate column name ", "COLUMN_ALREADY_EXISTS", "42711"},
    {Type::BINDER, "values were supplied", "DELTA_INSERT_COLUMN_ARITY_MISMATCH", "42802"},
    {Type::BINDER, "Set operations can only apply", "NUM_COLUMNS_MISMATCH", "42826"},
    {Type::BINDER, "ORDER term out of range", "ORDER_BY_POS_OUT_OF_RANGE", "42805"},
    {Type::BINDER, "GROUP BY term out of range", "GROUP_BY_POS_OUT_OF_RANGE", "42805"},
    {Type::CATALOG, "Table with name ", "TABLE_OR_VIEW_NOT_FOUND", "42P01"},
    {Type::CATALOG, "View with name ", "TABLE_OR_VIEW_NOT_FOUND", "42P01"},
    {Type::CATALOG, "Function with name ", "UNRESOLVED_ROUTINE", "42883"},
    {Type::CATALOG, "Type with name ", "UNSUPPORTED_DATATYPE", "0A000"},
    {Type::CONVERSION, "Unimplemented type for cast", "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION",
     "42K09"},
    {Type::CONVERSION, "out of range for the destination type", "CAST_OVERFLOW", "22003"},
    {Type::CONVERSION, "Failed to cast decimal value", "CAST_OVERFLOW", "22003"},
    {Type::CONVERSION, "value is out of range!", "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
     "22003"},
    {Type::CONVERSION, "Could not cast value ", "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION",
     "22003"},
    {Type::CONVERSION, "Could not convert string ", "CAST_INVALID_INPUT", "22018"},
    {Type::CONVERSION, "field format: ", "CAST_INVALID_INPUT", "22018"},
    {Type::CONVERSION, "field value out of range: ", "CAST_INVALID_INPUT", "22018"},
    {Type::OUT_OF_RANGE, "Overflow in ", "ARITHMETIC_OVERFLOW", "22003"},
    {Type::INVALID_INPUT, "More than one row returned by a subquery",
     "SCALAR_SUBQUERY_TOO_MANY_ROWS", "21000"},
};

const DuckDBError* FindDuckDBError(const duckdb::ErrorData& data) {
  const std::string& message = data.RawMessage();
  // A name that is taken is told in the same words as one that is missing.
  if (data.Type() == Type::CATALOG && message.find("does not exist") == std::string::npos)
    return nullptr;
  for (const DuckDBError& error : kDuckDBErrors) {
    if (error.type == data.Type() && message.find(error.words) != std::string::npos) return &error;
  }
  return nullptr;
}

}  // namespace

void Throw(const Error& error) {
  const duckdb::unordered_map<std::string, std::string> extra_info{
      {kKindKey, std::to_string(static_cast<int>(error.kind))}};
  throw duckdb::Exception(extra_info, ExceptionTypeOf(error.kind), error.ToString());
}

Error FromDuckDB(const duckdb::ErrorData& data) {
  Error error;
  error.kind = KindOf(data.Type());
  if (auto kind = data.ExtraInfo().find(kKindKey); kind != data.ExtraInfo().end()) {
    error.kind = static_cast<ErrorKind>(std::stoi(kind->second));
  }
  if (data.Type() == duckdb::ExceptionType::INTERRUPT) {
    return InvalidArgument("WEIR_INTERRUPTED", "the statement was cancelled", "57014");
  }
  const std::optional<Named> named = FindName(data.RawMessage());
  if (!named) {
    if (const DuckDBError* known = FindDuckDBError(data)) {
      if (known->type == Type::CATALOG) error.kind = ErrorKind::kNotFound;
      error.name = known->name;
      error.sqlstate = known->sqlstate;
      error.message = WithoutWriteTargets(data.RawMessage());
      return error;
    }
    error.name = "WEIR_SQL_ERROR";
    error.message = WithoutWriteTargets(data.Message());
    return error;
  }
  error.name = named->name;
  error.message = named->rest;
  const size_t state = error.message.rfind(kSqlStatePrefix);
  if (state != std::string::npos && EndsWith(error.message, ")")) {
    error.sqlstate = error.message.substr(state + kSqlStatePrefix.size());
    error.sqlstate.pop_back();
    error.message.resize(state);
  }
  return error;
}

}  // namespace weir::engine
