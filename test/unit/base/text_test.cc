// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

#include "base/uuid.h"

namespace weir {
namespace {

TEST(Text, PercentDecodesOnce) {
  EXPECT_EQ(*PercentDecode("p=a%252Fb%20c"), "p=a%2Fb c");
  EXPECT_EQ(*PercentDecode("%41"), "A");
  EXPECT_FALSE(PercentDecode("100%"));
  EXPECT_FALSE(PercentDecode("%4"));
  EXPECT_FALSE(PercentDecode("%zz"));
}

TEST(Text, UriEncodingIsUndoneByDecoding) {
  std::string path = "p=a%2Fb/q=x y#?\"'é/[1]{2}|^`\\<>";
  EXPECT_EQ(UriEncodePath("p=a%2Fb/é:x y"), "p=a%252Fb/é:x%20y");
  EXPECT_EQ(*PercentDecode(UriEncodePath(path)), path);
}

TEST(Text, Quotes) {
  EXPECT_EQ(QuoteIdentifier("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(QuoteLiteral("it's"), "'it''s'");
}

TEST(Text, TrimAndCase) {
  EXPECT_EQ(Trim(" \t x y\n"), "x y");
  EXPECT_EQ(Trim("   "), "");
  EXPECT_TRUE(EqualsIgnoreCase("MyCol", "mYcOL"));
  EXPECT_FALSE(EqualsIgnoreCase("a", "ab"));
}

TEST(Uuid, RoundTripAndVersion) {
  Uuid id = Uuid::Random();
  EXPECT_EQ(Uuid::Parse(id.ToString()), id);
  EXPECT_EQ(id.ToString()[14], '4');
  EXPECT_NE(Uuid::Random(), id);
  EXPECT_FALSE(Uuid::Parse("6a92d155-a59b-f2ee-cbd4-b4ec7fd1f87"));
  EXPECT_FALSE(Uuid::Parse("6a92d155xa59b-f2ee-cbd4-b4ec7fd1f875"));
}

TEST(ParseInt64, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(ParseInt64("0"), 0);
  EXPECT_EQ(ParseInt64("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(ParseInt64("00000000000000000042"), 42);
  for (const char* text : {"", " 1", "1 ", "+1", "1.0", "a", "9223372036854775808"})
    EXPECT_EQ(ParseInt64(text), std::nullopt) << text;
}

}  // namespace
}  // namespace weir
