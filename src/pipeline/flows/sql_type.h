// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/session.h"

namespace weir::pipeline {

/// A column of a relation: its name and DuckDB's spelling of its type.
struct Column {
  std::string name;
  std::string type;

  bool operator==(const Column&) const = default;
};

/// The columns that `query` would give, without running it.
Result<std::vector<Column>> DescribeQuery(engine::Session& session, const std::string& query);

/// The column called `name`, in any case, or nullptr.
const Column* FindColumn(const std::vector<Column>& columns, std::string_view name);

/// A type taken apart.
struct SqlType {
  enum class Kind { kScalar, kStruct, kList, kMap };
  Kind kind = Kind::kScalar;
  std::string name;                 ///< A scalar's spelling, with parameters: DECIMAL(10,2).
  std::vector<std::string> fields;  ///< A struct's field names.
  std::vector<SqlType> children;    ///< A struct's fields; a list's element; a map's key and value.

  std::string ToString() const;
  bool operator==(const SqlType&) const = default;
};

/// Errors: kInvalidArgument WEIR_TYPE_NOT_UNDERSTOOD.
Result<SqlType> ParseType(std::string_view text);

/// The nearest type that a Delta table can hold: UUID, JSON, TIME and enums become text, unsigned
/// and huge integers the next wider type, other timestamps microseconds. Types that Delta has stay
/// as they are.
SqlType StorableType(const SqlType& type);

/// Spark's spelling of a type that a Delta table can hold.
std::string SparkType(const SqlType& type);

/// An expression that DuckDB orders as Spark orders `expression`: inside structs and lists a NULL
/// is the smallest value, where DuckDB alone would take it as the largest. Scalars are returned as
/// they are.
std::string OrderKey(const std::string& expression, const SqlType& type);

/// Whether values of the type can be ordered: maps, variants, intervals and void cannot.
bool IsOrderable(const SqlType& type);

/// Whether every value of `from` is a value of `to` (INTEGER to BIGINT, FLOAT to DOUBLE, DATE to
/// TIMESTAMP, a decimal with no fewer digits on both sides), so that a cast loses nothing.
bool WidensTo(const SqlType& from, const SqlType& to);

}  // namespace weir::pipeline
