// SPDX-License-Identifier: Apache-2.0
#include "engine/session.h"

#include <gmock/gmock.h>

namespace weir::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    auto database = Database::Open();
    ASSERT_TRUE(database) << database.error().ToString();
    database_ = std::move(*database);
    auto session = database_->Connect();
    ASSERT_TRUE(session) << session.error().ToString();
    session_ = std::move(*session);
  }

  // The single value of a query as text, or as JSON.
  std::string Text(const std::string& expression) { return Cell(expression, false); }
  std::string Json(const std::string& expression) { return Cell(expression, true); }

  std::string Cell(const std::string& expression, bool json) {
    auto result = session_->Query("SELECT " + expression);
    if (!result) return result.error().ToString();
    auto more = (*result)->NextBatch();
    if (!more) return more.error().ToString();
    if (!json) return (*result)->IsNull(0, 0) ? "NULL" : (*result)->Text(0, 0);
    std::string out;
    (*result)->AppendJson(0, 0, out);
    return out;
  }

  std::unique_ptr<Database> database_;
  std::unique_ptr<Session> session_;
};

TEST_F(SessionTest, WritesNumbersExactly) {
  EXPECT_EQ(Json("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(Json("18446744073709551615::UBIGINT"), "18446744073709551615");
  EXPECT_EQ(Json("sum(x) FROM range(4) t(x)"), "6");
  EXPECT_EQ(Json("170141183460469231731687303715884105727"),
            "\"170141183460469231731687303715884105727\"");
  EXPECT_EQ(Json("1.50::DECIMAL(38,2)"), "\"1.50\"");
  EXPECT_EQ(Json("0.1::DOUBLE"), "0.1");
  EXPECT_EQ(Json("'nan'::DOUBLE"), "\"NaN\"");
  EXPECT_EQ(Json("'-inf'::FLOAT"), "\"-Infinity\"");
  EXPECT_EQ(Text("'inf'::DOUBLE"), "Infinity");
  EXPECT_EQ(Json("true"), "true");
  EXPECT_EQ(Json("NULL::INTEGER"), "null");
}

TEST_F(SessionTest, WritesTimesInUtcWithSixDigits) {
  EXPECT_EQ(Text("TIMESTAMP '2024-01-31 12:34:56.789012'"), "2024-01-31 12:34:56.789012");
  EXPECT_EQ(Text("TIMESTAMP '2024-01-31'"), "2024-01-31 00:00:00.000000");
  EXPECT_EQ(Text("TIMESTAMPTZ '2024-01-31 12:00:00+02'"), "2024-01-31 10:00:00.000000");
  EXPECT_EQ(Text("TIMESTAMPTZ '2024-01-31 12:00:00'"), "2024-01-31 12:00:00.000000");
  EXPECT_EQ(Text("TIMESTAMP '0001-01-01 00:00:00.000001'"), "0001-01-01 00:00:00.000001");
  EXPECT_EQ(Text("TIMESTAMP '1969-12-31 23:59:59.999999'"), "1969-12-31 23:59:59.999999");
  EXPECT_EQ(Text("TIMESTAMP '9999-12-31 23:59:59.999999'"), "9999-12-31 23:59:59.999999");
  EXPECT_EQ(Text("TIMESTAMP_NS '1969-12-31 23:59:59.999999999'"), "1969-12-31 23:59:59.999999999");
  EXPECT_EQ(Text("TIMESTAMP_MS '2024-01-31 12:34:56.789'"), "2024-01-31 12:34:56.789000");
  EXPECT_EQ(Text("TIMESTAMP 'infinity'"), "infinity");
  EXPECT_EQ(Json("DATE '2024-01-31'"), "\"2024-01-31\"");
}

TEST_F(SessionTest, WritesOtherTypes) {
  EXPECT_EQ(Text("'\\x00\\xAB'::BLOB"), "00ab");
  EXPECT_EQ(Json("'a\"b\nc'"), "\"a\\\"b\\nc\"");
  EXPECT_EQ(Text("UUID 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'"),
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
  EXPECT_EQ(Json("INTERVAL 3 DAY"), "\"3 days\"");
  EXPECT_EQ(Json("'{\"a\": [1]}'::JSON"), "{\"a\": [1]}");
}

TEST_F(SessionTest, NestsNestedValues) {
  EXPECT_EQ(Json("{'a': 1, 'b': [1.5::DECIMAL(2,1), NULL]}"), R"({"a":1,"b":["1.5",null]})");
  EXPECT_EQ(Text("{'t': TIMESTAMP '2024-01-31'}"), R"({"t":"2024-01-31 00:00:00.000000"})");
  EXPECT_EQ(Json("map {'k': 1}"), R"({"k":1})");
  EXPECT_EQ(Json("map {7: 'x'}"), R"([{"key":7,"value":"x"}])");
  EXPECT_EQ(Json("row(1, 'x')"), R"([1,"x"])");
  EXPECT_EQ(Json("array_value(1, 2)"), "[1,2]");
}

TEST_F(SessionTest, WritesVariantsAsJson) { EXPECT_EQ(Json("{'a': 1}::VARIANT"), R"({"a":1})"); }

TEST_F(SessionTest, StreamsInBatches) {
  auto result = session_->Query("SELECT i FROM range(100000) t(i)");
  ASSERT_TRUE(result);
  size_t rows = 0;
  size_t batches = 0;
  while (true) {
    auto more = (*result)->NextBatch();
    ASSERT_TRUE(more);
    if (!*more) break;
    rows += (*result)->batch_size();
    ++batches;
  }
  EXPECT_EQ(rows, 100000u);
  EXPECT_GT(batches, 1u);
}

TEST_F(SessionTest, RunsAllStatementsAndReturnsTheLast) {
  EXPECT_EQ(*session_->QueryInt64(
                "CREATE TABLE t(i INT); INSERT INTO t VALUES (1), (2); SELECT sum(i) FROM t"),
            3);
  EXPECT_EQ(*session_->QueryInt64("SELECT i FROM t WHERE i > 9"), std::nullopt);
  EXPECT_EQ((*session_->Query("INSERT INTO t VALUES (3)"))->kind(), ResultKind::kChangedRows);
  EXPECT_EQ((*session_->Query("CREATE TABLE u(i INT)"))->kind(), ResultKind::kNothing);
  EXPECT_EQ((*session_->Query("FROM t"))->kind(), ResultKind::kRows);
  EXPECT_THAT(*session_->SplitStatements("a; b"), ElementsAre("a", "b"));
}

TEST_F(SessionTest, NamesErrors) {
  auto unknown = session_->Query("SELECT nope");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().name, "UNRESOLVED_COLUMN.WITH_SUGGESTION");
  EXPECT_EQ(unknown.error().sqlstate, "42703");
  EXPECT_EQ(unknown.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_THAT(unknown.error().message, HasSubstr("nope"));

  auto named =
      session_->Execute("SELECT error('[DELTA_TABLE_NOT_FOUND] no table t (SQLSTATE: 42P01)')");
  ASSERT_FALSE(named);
  EXPECT_EQ(named.error().name, "DELTA_TABLE_NOT_FOUND");
  EXPECT_EQ(named.error().message, "no table t");
  EXPECT_EQ(named.error().sqlstate, "42P01");
}

TEST_F(SessionTest, ErrorsWhileStreamingAreReported) {
  auto result = session_->Query(
      "SELECT CASE WHEN i = 50000 THEN error('late') ELSE 1 END FROM range(100000) t(i)");
  Result<bool> more = true;
  if (result) {
    while (more && *more) more = (*result)->NextBatch();
    ASSERT_FALSE(more);
    EXPECT_THAT(more.error().message, HasSubstr("late"));
  } else {
    EXPECT_THAT(result.error().message, HasSubstr("late"));
  }
}

TEST_F(SessionTest, ASessionOutlivesItsDatabaseHandle) {
  database_.reset();
  EXPECT_EQ(*session_->QueryInt64("SELECT 1"), 1);
}

}  // namespace
}  // namespace weir::engine
