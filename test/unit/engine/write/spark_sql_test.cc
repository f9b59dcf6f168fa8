// SPDX-License-Identifier: Apache-2.0
#include "engine/write/spark_sql.h"

#include <gtest/gtest.h>

namespace weir::engine {
namespace {

TEST(SparkSql, QuotesTextsAndNamesAsSparkDoes) {
  EXPECT_EQ(InSparkSql(R"("a b" > 1 AND v <> 'it''s' AND w = 'a\b "x" `y`')"),
            R"(`a b` > 1 AND v <> 'it\'s' AND w = 'a\\b "x" `y`')");
  EXPECT_EQ(InSparkSql(R"("a""b`c")"), R"(`a"b``c`)");
}

TEST(SparkSql, AndBack) {
  EXPECT_EQ(InDuckDBSql(R"(`a b` > 1 AND v <> 'it\'s' AND w = 'a\\b "x"')"),
            R"("a b" > 1 AND v <> 'it''s' AND w = 'a\b "x"')");
  EXPECT_EQ(InDuckDBSql("x = \"text\""), "x = 'text'");
  EXPECT_EQ(InDuckDBSql("x = 'it' 's' || 'n'"), "x = 'its' || 'n'");
  EXPECT_EQ(InDuckDBSql(R"(x LIKE 'a\%\n')"), "x LIKE 'a\\%\n'");
}

TEST(SparkSql, WhatIsOpenEndsWithTheText) {
  EXPECT_EQ(InDuckDBSql("x = 'open"), "x = 'open'");
  EXPECT_EQ(InDuckDBSql("x = 'open\\"), "x = 'open\\'");
  EXPECT_EQ(InSparkSql("\"open"), "`open`");
}

}  // namespace
}  // namespace weir::engine
