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

// As DuckDB prints expressions that it has parsed.
TEST(SparkSql, SpellsFunctionsTypesAndOperatorsAsSparkDoes) {
  EXPECT_EQ(InSparkSql(R"(main."substring"(v, 1, 2))"), "substring(v, 1, 2)");
  EXPECT_EQ(InSparkSql(R"(main.date_part('year', d))"), "date_part('year', d)");
  EXPECT_EQ(InSparkSql(R"(main."position"(v, 'main.x('))"), "instr(v, 'main.x(')");
  EXPECT_EQ(InSparkSql(R"(main.x + "main".y > (main.z))"), "main.x + `main`.y > (main.z)");
  EXPECT_EQ(InSparkSql(R"("year"(d) = "a b"(c))"), "year(d) = `a b`(c)");
  EXPECT_EQ(InSparkSql(R"(CAST(id AS VARCHAR) || CAST(b AS "BLOB"))"),
            "CAST(id AS STRING) || CAST(b AS BINARY)");
  EXPECT_EQ(InSparkSql(R"(CAST(ts AS "DATE"))"), "CAST(ts AS DATE)");
  EXPECT_EQ(InSparkSql("CAST(d AS VARCHAR(5)) = CAST(e AS DECIMAL(5,2))"),
            "CAST(d AS VARCHAR(5)) = CAST(e AS DECIMAL(5,2))");
  EXPECT_EQ(InSparkSql(R"((v ~~ '~~') OR (v !~~ "VARCHAR") OR (v ~~* 'A%') OR (v !~~* 'x'))"),
            "(v LIKE '~~') OR (v NOT LIKE `VARCHAR`) OR (v ILIKE 'A%') OR (v NOT ILIKE 'x')");
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
