// SPDX-License-Identifier: Apache-2.0
#include "engine/write/spark_functions.h"

#include <gtest/gtest.h>

#include "duckdb/common/exception.hpp"
#include "duckdb/main/connection.hpp"
#include "duckdb/main/database.hpp"

namespace weir::engine {
namespace {

std::string Value(const std::string& spark) {
  duckdb::DuckDB db;
  duckdb::Connection connection(db);
  const auto result = connection.Query("SELECT " + ParseSpark(spark)->ToString());
  return result->HasError() ? result->GetError() : result->GetValue(0, 0).ToString();
}

// What Spark gives.
TEST(SparkFunctions, MeanWhatTheyMeanOnSpark) {
  EXPECT_EQ(Value("concat('a', NULL)"), "NULL");
  EXPECT_EQ(Value("concat('a', 1, 'c')"), "a1c");
  EXPECT_EQ(Value("CONCAT('a')"), "a");
  EXPECT_EQ(Value("log(1)"), "0.0");
  EXPECT_EQ(Value("log(2, 8)"), "3.0");
  EXPECT_EQ(Value("dayofweek(DATE '2024-05-05')"), "1");  // A Sunday.
  EXPECT_EQ(Value("dayofweek(DATE '2024-05-11')"), "7");
  EXPECT_EQ(Value("extract(DOW FROM DATE '2024-05-05')"), "1");
  EXPECT_EQ(Value("weekday(DATE '2024-05-05')"), "6");
  EXPECT_EQ(Value("weekday(DATE '2024-05-06')"), "0");
  EXPECT_EQ(Value("dayname(DATE '2024-05-06')"), "Mon");
  EXPECT_EQ(Value("monthname(DATE '2024-09-06')"), "Sep");
  EXPECT_EQ(Value("extract(SECOND FROM TIMESTAMP '2024-05-06 07:08:09.25')"), "9.25");
  EXPECT_EQ(Value("extract(YEAR FROM DATE '2024-05-06') + dayofweek(DATE '2024-05-05')"), "2025");
}

TEST(SparkFunctions, WithAnotherMeaningThatCannotBeHadAreRefused) {
  for (const char* call : {"hash(1)", "regexp_replace('aa', 'a', 'b')", "split('a', '.')",
                           "1 + length(regexp_extract('a', '(a)'))"})
    EXPECT_THROW(ParseSpark(call), duckdb::NotImplementedException) << call;
}

TEST(SparkFunctions, IsOneExpression) {
  EXPECT_THROW(ParseSpark("1, 2"), duckdb::ParserException);
  EXPECT_THROW(ParseDuckDB(""), duckdb::ParserException);
}

}  // namespace
}  // namespace weir::engine
