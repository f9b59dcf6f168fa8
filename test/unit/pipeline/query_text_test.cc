// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec/query_text.h"

#include <gtest/gtest.h>

namespace weir::pipeline {
namespace {

std::string Sql(const std::string& query) {
  const auto rewritten = RewriteQuery(query, "__p_");
  return rewritten ? rewritten->sql : rewritten.error().name;
}

TEST(QueryTextTest, StreamsBecomeNamesWithTheirAlias) {
  EXPECT_EQ(Sql("SELECT * FROM STREAM(a.b) WHERE b.x > 1"),
            "SELECT * FROM \"__p_0\" AS \"b\" WHERE b.x > 1");
  EXPECT_EQ(Sql("SELECT * FROM STREAM(t) AS s JOIN STREAM u USING (id)"),
            "SELECT * FROM \"__p_0\" AS s JOIN \"__p_1\" AS \"u\" USING (id)");
  EXPECT_EQ(Sql("SELECT * FROM STREAM(t) s"), "SELECT * FROM \"__p_0\" s");
  EXPECT_EQ(Sql("SELECT * FROM STREAM `my table`"), "SELECT * FROM \"__p_0\" AS \"my table\"");
}

TEST(QueryTextTest, FilesAreSources) {
  const auto query = RewriteQuery(
      "SELECT * FROM STREAM read_files('in/x', format => 'CSV', header => true, schema => 'a INT')",
      "__p_");
  ASSERT_TRUE(query);
  ASSERT_EQ(query->sources.size(), 1u);
  EXPECT_TRUE(query->sources[0].stream);
  EXPECT_EQ(query->sources[0].files.path, "in/x");
  EXPECT_EQ(query->sources[0].files.format, "csv");
  EXPECT_EQ(query->sources[0].files.options, (std::vector<std::pair<std::string, std::string>>{
                                                 {"header", "true"}, {"schema", "a INT"}}));
  const auto batch = RewriteQuery("SELECT * FROM json.`/data`, parquet.`x`", "__p_");
  ASSERT_TRUE(batch);
  EXPECT_FALSE(batch->sources[0].stream);
  const auto folder = RewriteQuery("SELECT * FROM STREAM 'events'", "__p_");
  ASSERT_TRUE(folder);
  EXPECT_EQ(folder->sources[0].files.path, "events");
}

TEST(QueryTextTest, QuotesAndStructs) {
  EXPECT_EQ(Sql("SELECT `a``b`, \"c\", 'it''s `x`' FROM t"),
            "SELECT \"a`b\", \"c\", 'it''s `x`' FROM t");
  EXPECT_EQ(*RewriteExpression("struct(ts, t.`n`, a + 1, b AS c, f(d, e))"),
            "struct_pack(\"ts\" := ts, \"n\" := t.\"n\", \"col3\" := a + 1, \"c\" := b, \"col5\" "
            ":= f(d, e))");
  EXPECT_EQ(*RewriteExpression("struct(struct(a), b)"),
            "struct_pack(\"col1\" := struct_pack(\"a\" := a), \"b\" := b)");
  EXPECT_EQ(*RewriteExpression("CAST(x AS STRUCT(a INT))"), "CAST(x AS STRUCT(a INT))");
}

TEST(QueryTextTest, PassesOtherTextThrough) {
  const std::string query = "WITH q AS (SELECT stream, 1 -- note\n FROM t) SELECT /* x */ * FROM q";
  EXPECT_EQ(Sql(query), query);
}

TEST(QueryTextTest, TheCatalogIsLeftOutOfFullNames) {
  const auto query =
      RewriteQuery("SELECT lake.main.t.a FROM lake.main.t, \"LAKE\".s.u, lake.v", "__p_", "lake");
  ASSERT_TRUE(query) << query.error().ToString();
  EXPECT_EQ(query->sql, "SELECT main.t.a FROM main.t, s.u, lake.v");
  EXPECT_EQ(query->spark_sql, "SELECT lake.main.t.a FROM lake.main.t, \"LAKE\".s.u, lake.v");
}

TEST(QueryTextTest, RefusesWhatItCannotRead) {
  EXPECT_EQ(Sql("SELECT * FROM STREAM("), "PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Sql("SELECT * FROM STREAM(t"), "PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Sql("SELECT * FROM STREAM read_files()"), "PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Sql("SELECT * FROM read_files('x', format)"), "PARSE_SYNTAX_ERROR");
  EXPECT_EQ(Sql("SELECT struct(a FROM t"), "PARSE_SYNTAX_ERROR");
}

}  // namespace
}  // namespace weir::pipeline
