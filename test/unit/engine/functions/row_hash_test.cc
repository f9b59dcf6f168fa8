// SPDX-License-Identifier: Apache-2.0
#include "engine/functions/row_hash.h"

#include <gtest/gtest.h>

#include "engine/session.h"

namespace weir::engine {
namespace {

TEST(CanonicalNumber, IsPlainDecimalText) {
  EXPECT_EQ(CanonicalNumber("123"), "123");
  EXPECT_EQ(CanonicalNumber("-100"), "-100");
  EXPECT_EQ(CanonicalNumber("0"), "0");
  EXPECT_EQ(CanonicalNumber("1.50"), "1.5");
  EXPECT_EQ(CanonicalNumber("2.00"), "2");
  EXPECT_EQ(CanonicalNumber("-0.0"), "0");
  EXPECT_EQ(CanonicalNumber("0.050"), "0.05");
  EXPECT_EQ(CanonicalNumber("1e+20"), "100000000000000000000");
  EXPECT_EQ(CanonicalNumber("1.25e-07"), "0.000000125");
  EXPECT_EQ(CanonicalNumber("-1.25e3"), "-1250");
  EXPECT_EQ(CanonicalNumber("nan"), "nan");
  EXPECT_EQ(CanonicalNumber("-inf"), "-inf");
}

TEST(CanonicalTime, HasNoZoneAndNoNeedlessZeros) {
  EXPECT_EQ(CanonicalTime("2024-01-31"), "2024-01-31");
  EXPECT_EQ(CanonicalTime("2024-01-31 00:00:00"), "2024-01-31");
  EXPECT_EQ(CanonicalTime("2024-01-31 10:00:00.500+00"), "2024-01-31 10:00:00.5");
  EXPECT_EQ(CanonicalTime("10:20:00"), "10:20:00");
}

class RowHashTest : public testing::Test {
 protected:
  void SetUp() override {
    auto database = Database::Open();
    ASSERT_TRUE(database) << database.error().ToString();
    database_ = std::move(*database);
    session_ = std::move(*database_->Connect());
  }

  std::string Text(const std::string& expression) {
    auto result = session_->Query("SELECT " + expression);
    if (!result) return result.error().ToString();
    auto more = (*result)->NextBatch();
    if (!more) return more.error().ToString();
    return (*result)->Text(0, 0);
  }
  std::string Hash(const std::string& arguments) {
    return Text("weir_row_hash(" + arguments + ")");
  }

  std::unique_ptr<Database> database_;
  std::unique_ptr<Session> session_;
};

TEST_F(RowHashTest, Sha512OfTextAndBytes) {
  const std::string abc =
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
      "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
  EXPECT_EQ(Text("weir_sha512('abc')"), abc);
  EXPECT_EQ(Text("weir_sha512('abc'::BLOB)"), abc);
  EXPECT_EQ(Text("weir_sha512(NULL) IS NULL"), "true");
}

TEST_F(RowHashTest, IsTheHashOfTheDocumentedText) {
  EXPECT_EQ(Hash("'Id', 5, 'name', 'Zo\u00eb', 'gone', NULL::VARCHAR, 'at', DATE '2024-01-31'"),
            Text("weir_sha512('2:idn1:54:names4:Zo\u00eb2:att10:2024-01-31')"));
  EXPECT_EQ(Hash("'', true, '', 'ab'::BLOB"), Text("weir_sha512('0:b4:true0:x2:ab')"));
}

TEST_F(RowHashTest, TheTypeOfTheSourceDoesNotMatter) {
  EXPECT_EQ(Hash("'a', 5::TINYINT"), Hash("'a', 5::HUGEINT"));
  EXPECT_EQ(Hash("'a', 5::TINYINT"), Hash("'a', 5.00::DECIMAL(10,2)"));
  EXPECT_EQ(Hash("'a', 0.1::FLOAT"), Hash("'a', 0.1::DOUBLE"));
  EXPECT_EQ(Hash("'a', 1e20::DOUBLE"), Hash("'a', 100000000000000000000::HUGEINT"));
  EXPECT_EQ(Hash("'a', DATE '2024-01-31'"), Hash("'a', TIMESTAMP '2024-01-31 00:00:00'"));
  EXPECT_EQ(Hash("'a', TIMESTAMPTZ '2024-01-31 10:00:00+02'"),
            Hash("'a', TIMESTAMP_S '2024-01-31 08:00:00'"));
}

TEST_F(RowHashTest, DifferentRowsDiffer) {
  EXPECT_NE(Hash("'a', ''"), Hash("'a', NULL::VARCHAR"));
  EXPECT_NE(Hash("'a', 'a', 'b', 'bc'"), Hash("'a', 'ab', 'b', 'c'"));
  EXPECT_NE(Hash("'a', 'x', 'b', NULL"), Hash("'a', NULL, 'b', 'x'"));
  EXPECT_NE(Hash("'a', '5'"), Hash("'a', 5"));
  EXPECT_NE(Hash("'a', ['b', 'c']"), Hash("'a', ['b, c']"));
}

TEST_F(RowHashTest, RowsOfATable) {
  EXPECT_EQ(Text("count(DISTINCT weir_row_hash('i', i, 't', i::VARCHAR)) FROM range(5000) t(i)"),
            "5000");
}

TEST_F(RowHashTest, WrongArgumentsAreRefused) {
  EXPECT_NE(Hash("'a'").find("[WEIR_ROW_HASH_ARGUMENTS]"), std::string::npos);
  EXPECT_NE(Hash("5, 'a'").find("[WEIR_ROW_HASH_ARGUMENTS]"), std::string::npos);
}

}  // namespace
}  // namespace weir::engine
