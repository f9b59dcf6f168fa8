// SPDX-License-Identifier: Apache-2.0
#include "engine/duckdb_errors.h"

#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "duckdb/common/exception.hpp"

#include "base/text.h"

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

// What DuckDB's catalog says of a name that it does not find, in the words of Spark.
struct MissingEntry {
  const char* name;
  const char* sqlstate;
};

std::optional<MissingEntry> FindMissingEntry(const duckdb::ErrorData& data) {
  const auto& info = data.ExtraInfo();
  const auto subtype = info.find("error_subtype");
  const auto type = info.find("type");
  if (subtype == info.end() || subtype->second != "MISSING_ENTRY" || type == info.end())
    return std::nullopt;
  if (type->second == "Table" || type->second == "View")
    return MissingEntry{"TABLE_OR_VIEW_NOT_FOUND", "42P01"};
  return std::nullopt;
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
    if (auto missing = FindMissingEntry(data)) {
      return NotFound(missing->name, data.RawMessage(), missing->sqlstate);
    }
    error.name = "WEIR_SQL_ERROR";
    error.message = data.Message();
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
