// SPDX-License-Identifier: Apache-2.0
#include "engine/write/spark_functions.h"

#include <cstdint>
#include <utility>

#include "duckdb/parser/expression/cast_expression.hpp"
#include "duckdb/parser/expression/constant_expression.hpp"
#include "duckdb/parser/expression/function_expression.hpp"
#include "duckdb/parser/parsed_expression_iterator.hpp"
#include "duckdb/parser/parser.hpp"

#include "base/text.h"
#include "engine/write/spark_sql.h"

namespace weir::engine {
namespace {

using Expression = duckdb::unique_ptr<duckdb::ParsedExpression>;
using Arguments = duckdb::vector<Expression>;

Expression Constant(duckdb::Value value) {
  return duckdb::make_uniq<duckdb::ConstantExpression>(std::move(value));
}

Expression Call(const std::string& name, Expression first, Expression second = nullptr) {
  Arguments arguments;
  arguments.push_back(std::move(first));
  if (second) arguments.push_back(std::move(second));
  return duckdb::make_uniq<duckdb::FunctionExpression>(name, std::move(arguments));
}

// NULL where a part is, which DuckDB's concat leaves out.
Expression Concat(Arguments arguments) {
  Expression result = std::move(arguments[0]);
  for (size_t i = 1; i < arguments.size(); ++i)
    result = Call("||", std::move(result), std::move(arguments[i]));
  return result;
}

Expression NaturalLogarithm(Arguments arguments) {
  if (arguments.size() == 1) return Call("ln", std::move(arguments[0]));
  return Call("log", std::move(arguments[0]), std::move(arguments[1]));
}

// Sunday is 1.
Expression DayOfWeek(Arguments arguments) {
  return Call("+", Call("dayofweek", std::move(arguments[0])), Constant(duckdb::Value::BIGINT(1)));
}

// Monday is 0.
Expression Weekday(Arguments arguments) {
  return Call("-", Call("isodow", std::move(arguments[0])), Constant(duckdb::Value::BIGINT(1)));
}

Expression ShortDayName(Arguments arguments) {
  return Call("left", Call("dayname", std::move(arguments[0])), Constant(duckdb::Value::BIGINT(3)));
}

Expression ShortMonthName(Arguments arguments) {
  return Call("left", Call("monthname", std::move(arguments[0])),
              Constant(duckdb::Value::BIGINT(3)));
}

// With its fraction.
Expression ExactSecond(Expression time) {
  return Call("/",
              duckdb::make_uniq<duckdb::CastExpression>(duckdb::LogicalType::DECIMAL(18, 0),
                                                        Call("microsecond", std::move(time))),
              Constant(duckdb::Value::DOUBLE(1e6)));
}

// extract(part FROM time), which the parser makes of it.
Expression DatePart(Arguments arguments) {
  const auto* part = arguments[0]->GetExpressionClass() == duckdb::ExpressionClass::CONSTANT
                         ? &arguments[0]->Cast<duckdb::ConstantExpression>().value
                         : nullptr;
  const std::string name = part ? ToLowerAscii(part->ToString()) : std::string();
  if (name == "dow" || name == "dayofweek" || name == "weekday") {
    Arguments time;
    time.push_back(std::move(arguments[1]));
    return DayOfWeek(std::move(time));
  }
  if (name == "second" || name == "seconds" || name == "sec" || name == "s")
    return ExactSecond(std::move(arguments[1]));
  return Call("date_part", std::move(arguments[0]), std::move(arguments[1]));
}

struct Meaning {
  const char* name;
  size_t min_arguments;
  size_t max_arguments;
  Expression (*rewrite)(Arguments arguments);  ///< nullptr: it cannot be computed.
};

constexpr size_t kAny = SIZE_MAX;

constexpr Meaning kMeanings[] = {
    {"concat", 1, kAny, Concat},
    {"log", 1, 2, NaturalLogarithm},
    {"dayofweek", 1, 1, DayOfWeek},
    {"weekday", 1, 1, Weekday},
    {"dayname", 1, 1, ShortDayName},
    {"monthname", 1, 1, ShortMonthName},
    {"date_part", 2, 2, DatePart},
    {"datepart", 2, 2, DatePart},
    {"hash", 0, kAny, nullptr},            // Murmur3 there.
    {"split", 0, kAny, nullptr},           // By a regular expression there.
    {"regexp_replace", 0, kAny, nullptr},  // All of them there, and groups are $1.
    {"regexp_extract", 0, kAny, nullptr},  // The first group there.
    {"regexp_extract_all", 0, kAny, nullptr},
};

}  // namespace

void MeanAsSpark(Expression& expression) {
  duckdb::ParsedExpressionIterator::EnumerateChildren(
      *expression, [](Expression& child) { MeanAsSpark(child); });
  if (expression->GetExpressionClass() != duckdb::ExpressionClass::FUNCTION) return;
  auto& call = expression->Cast<duckdb::FunctionExpression>();
  for (const Meaning& meaning : kMeanings) {
    if (!EqualsIgnoreCase(call.function_name, meaning.name)) continue;
    if (meaning.rewrite == nullptr) {
      throw duckdb::NotImplementedException(
          "%s means something else on Spark, which writes the table too", meaning.name);
    }
    const size_t count = call.children.size();
    if (count < meaning.min_arguments || count > meaning.max_arguments) return;
    expression = meaning.rewrite(std::move(call.children));
    return;
  }
}

Expression ParseSpark(const std::string& spark) {
  Expression expression = ParseDuckDB(InDuckDBSql(spark));
  MeanAsSpark(expression);
  return expression;
}

Expression ParseDuckDB(const std::string& sql) {
  auto parsed = duckdb::Parser::ParseExpressionList(sql);
  if (parsed.size() != 1) throw duckdb::ParserException("it is no single expression");
  return std::move(parsed[0]);
}

}  // namespace weir::engine
