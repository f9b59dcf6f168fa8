// SPDX-License-Identifier: Apache-2.0
#include "delta/values/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace weir::delta {
namespace {

TypePtr Type(TypeKind kind) { return DataType::Primitive(kind); }

int64_t ParseInt(TypeKind kind, std::string_view text) {
  auto value = ParseValue(*Type(kind), text);
  EXPECT_TRUE(value && value->if_int()) << text;
  return value && value->if_int() ? *value->if_int() : -1;
}

TEST(Decimal, KeepsEveryDigit) {
  auto value = Decimal::Parse("12345678901234567890.123456789012345678");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->scale, 18);
  EXPECT_EQ(value->ToPlainString(), "12345678901234567890.123456789012345678");
  EXPECT_EQ(Decimal::Parse("-99999999999999999999999999999999999999")->ToPlainString(),
            "-99999999999999999999999999999999999999");
  EXPECT_FALSE(Decimal::Parse("100000000000000000000000000000000000000"));
}

TEST(Decimal, ReadsExponentsAndPrintsThemAsJava) {
  auto small = Decimal::Parse("1E-18");
  ASSERT_TRUE(small);
  EXPECT_EQ(small->scale, 18);
  EXPECT_EQ(small->ToJavaString(), "1E-18");
  EXPECT_EQ(small->ToPlainString(), "0.000000000000000001");
  EXPECT_EQ(Decimal::Parse("-1.25e2")->ToPlainString(), "-125");
  EXPECT_EQ((Decimal{0, 18}).ToJavaString(), "0E-18");
  EXPECT_EQ((Decimal{-125, 9}).ToJavaString(), "-1.25E-7");
  EXPECT_EQ((Decimal{110, 2}).ToJavaString(), "1.10");
  for (const char* text : {"", "-", ".", "1e", "1e99999", "0x1", "1.2.3", "1 "}) {
    EXPECT_FALSE(Decimal::Parse(text)) << text;
  }
}

TEST(Decimal, ComparesOverScales) {
  EXPECT_TRUE(Compare(Decimal{110, 2}, Decimal{11, 1}) == 0);
  EXPECT_TRUE(Compare(*Decimal::Parse("1e37"), *Decimal::Parse("0.00000000000000000001")) > 0);
  EXPECT_TRUE(Compare(*Decimal::Parse("-1e37"), *Decimal::Parse("0.00000000000000000001")) < 0);
  EXPECT_TRUE(Compare(Decimal{5, 0}, Decimal{51, 1}) < 0);
}

TEST(Value, OrdersNanAboveEverythingAndZerosEqual) {
  Value nan(std::nan(""));
  EXPECT_TRUE(Compare(nan, Value(std::numeric_limits<double>::infinity())) > 0);
  EXPECT_TRUE(Compare(nan, nan) == 0);
  EXPECT_TRUE(Compare(Value(-0.0), Value(0.0)) == 0);
  EXPECT_TRUE(Compare(Value(), Value(int64_t{1})) == std::partial_ordering::unordered);
  EXPECT_TRUE(Compare(Value("a"), Value(int64_t{1})) == std::partial_ordering::unordered);
  EXPECT_TRUE(Compare(Value(int64_t{2}), Value(Decimal{19, 1})) > 0);
  EXPECT_TRUE(Compare(Value("\xC3\xA9"), Value("z")) > 0) << "bytes count as unsigned";
}

TEST(ValueText, ReadsDates) {
  EXPECT_EQ(ParseInt(TypeKind::kDate, "1970-01-01"), 0);
  EXPECT_EQ(ParseInt(TypeKind::kDate, "1969-12-31"), -1);
  EXPECT_EQ(ParseInt(TypeKind::kDate, "2000-02-29"), 11016);
  EXPECT_EQ(ParseInt(TypeKind::kDate, "0001-01-01"), -719162);
  EXPECT_EQ(ParseInt(TypeKind::kDate, "+10000-01-01"), 2932897);
  for (const char* text :
       {"2001-02-29", "2000-13-01", "2000-00-10", "2000-1", "x", "2000-01-01x"}) {
    EXPECT_FALSE(ParseValue(*Type(TypeKind::kDate), text)) << text;
  }
  for (int64_t days : {-719528L, -719163L, -1L, 0L, 59L, 11016L, 2932896L, 2932897L}) {
    EXPECT_EQ(ParseInt(TypeKind::kDate, FormatDate(days)), days) << FormatDate(days);
  }
}

TEST(ValueText, ReadsEveryFormOfATimestamp) {
  const int64_t expected = 1577836800123456;
  for (const char* text : {"2020-01-01T00:00:00.123456Z", "2020-01-01 00:00:00.123456",
                           "2020-01-01 00:00:00.123456+00", "2019-12-31T16:00:00.123456-08:00",
                           "2020-01-01T00:00:00.123456789Z"}) {
    EXPECT_EQ(ParseInt(TypeKind::kTimestamp, text), expected) << text;
  }
  // A zone of before the railways, with seconds.
  EXPECT_EQ(ParseInt(TypeKind::kTimestamp, "1850-01-01T00:00:00.000-07:52:58"),
            ParseInt(TypeKind::kTimestamp, "1850-01-01T07:52:58Z"));
  EXPECT_EQ(ParseInt(TypeKind::kTimestampNtz, "2020-01-01 00:00:00.1"), 1577836800100000);
  EXPECT_FALSE(ParseValue(*Type(TypeKind::kTimestampNtz), "2020-01-01T00:00:00Z"));
  EXPECT_FALSE(ParseValue(*Type(TypeKind::kTimestamp), "2020-01-01T24:00:00Z"));
  EXPECT_FALSE(ParseValue(*Type(TypeKind::kTimestamp), "999999-01-01T00:00:00Z"));
}

TEST(ValueText, WritesTimestamps) {
  EXPECT_EQ(FormatTimestamp(1577836800123456, {'T', 3, "Z"}), "2020-01-01T00:00:00.123Z");
  EXPECT_EQ(FormatTimestamp(-1, {'T', 3, {}}), "1969-12-31T23:59:59.999");
  EXPECT_EQ(FormatTimestamp(1577836800100000, {' ', -1, {}}), "2020-01-01 00:00:00.1");
  EXPECT_EQ(FormatTimestamp(1577836800000000, {' ', -1, {}}), "2020-01-01 00:00:00");
}

TEST(ValueText, WritesDoublesAsJava) {
  EXPECT_EQ(FormatDouble(1), "1.0");
  EXPECT_EQ(FormatDouble(-0.0), "-0.0");
  EXPECT_EQ(FormatDouble(1e10), "1.0E10");
  EXPECT_EQ(FormatDouble(1234567.5), "1234567.5");
  EXPECT_EQ(FormatDouble(12345678.5), "1.23456785E7");
  EXPECT_EQ(FormatDouble(0.001), "0.001");
  EXPECT_EQ(FormatDouble(0.0001), "1.0E-4");
  EXPECT_EQ(FormatDouble(-std::numeric_limits<double>::infinity()), "-Infinity");
  EXPECT_EQ(FormatDouble(std::nan("")), "NaN");
  EXPECT_EQ(FormatFloat(0.1F), "0.1");
  for (double value : {5e-324, 1.7976931348623157e308, 0.1, 1e100, 123456.789}) {
    auto back = ParseValue(*Type(TypeKind::kDouble), FormatDouble(value));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back->if_double(), value);
  }
}

TEST(ValueText, RefusesNumbersThatDoNotFit) {
  EXPECT_FALSE(ParseValue(*Type(TypeKind::kByte), "128"));
  EXPECT_FALSE(ParseValue(*Type(TypeKind::kInteger), "2147483648"));
  EXPECT_FALSE(ParseValue(*Type(TypeKind::kLong), "9223372036854775808"));
  EXPECT_FALSE(ParseValue(*Type(TypeKind::kLong), "1.5"));
  EXPECT_FALSE(ParseValue(*DataType::Decimal(10, 2), "1.234"));
  EXPECT_EQ(ParseValue(*DataType::Decimal(10, 2), "1.1")->if_decimal()->ToPlainString(), "1.10");
}

}  // namespace
}  // namespace weir::delta
