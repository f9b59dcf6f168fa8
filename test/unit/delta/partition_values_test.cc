// SPDX-License-Identifier: Apache-2.0
#include "delta/partitions/partition_values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/text.h"

namespace weir::delta {
namespace {

TypePtr Type(TypeKind kind) { return DataType::Primitive(kind); }

std::string Text(const DataType& type, const Value& value) {
  auto text = SerializePartitionValue(type, value);
  EXPECT_TRUE(text.has_value());
  return text && *text ? **text : "<null>";
}

TEST(PartitionValues, AreWrittenAsSparkWritesThem) {
  EXPECT_EQ(Text(*Type(TypeKind::kDouble), Value(-0.0)), "-0.0");
  EXPECT_EQ(Text(*Type(TypeKind::kDouble), Value(std::nan(""))), "NaN");
  EXPECT_EQ(Text(*Type(TypeKind::kTimestamp), Value(int64_t{1577836800123456})),
            "2020-01-01T00:00:00.123456Z");
  EXPECT_EQ(Text(*Type(TypeKind::kTimestamp), Value(int64_t{1577836800000000})),
            "2020-01-01T00:00:00.000000Z");
  EXPECT_EQ(Text(*Type(TypeKind::kTimestampNtz), Value(int64_t{1577836800100000})),
            "2020-01-01 00:00:00.1");
  EXPECT_EQ(Text(*DataType::Decimal(10, 2), Value(Decimal{11, 1})), "1.10");
  EXPECT_EQ(Text(*DataType::Decimal(38, 18), Value(Decimal{1, 18})), "0.000000000000000001");
  EXPECT_EQ(Text(*Type(TypeKind::kBoolean), Value(true)), "true");
  EXPECT_EQ(Text(*Type(TypeKind::kDate), Value(int64_t{-1})), "1969-12-31");
  EXPECT_EQ(Text(*Type(TypeKind::kBinary), Value("\x01\x02")), "\x01\x02");
}

TEST(PartitionValues, EmptyTextAndTheHiveNameAreNull) {
  EXPECT_EQ(Text(*Type(TypeKind::kString), Value()), "<null>");
  EXPECT_EQ(Text(*Type(TypeKind::kString), Value("")), "<null>");
  EXPECT_EQ(Text(*Type(TypeKind::kString), Value("__HIVE_DEFAULT_PARTITION__")), "<null>");
  for (auto kind : {TypeKind::kString, TypeKind::kInteger, TypeKind::kDate, TypeKind::kDouble}) {
    auto value = ParsePartitionValue(*Type(kind), "");
    ASSERT_TRUE(value);
    EXPECT_TRUE(value->is_null());
  }
}

TEST(PartitionValues, WrongValuesAreErrors) {
  auto wrong = SerializePartitionValue(*Type(TypeKind::kInteger), Value("a"));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().name, "DELTA_INVALID_PARTITION_COLUMN_TYPE");
  auto nested = SerializePartitionValue(*DataType::Array(Type(TypeKind::kLong), true), Value("a"));
  EXPECT_FALSE(nested);
  auto binary = SerializePartitionValue(*Type(TypeKind::kBinary), Value("\xFF\xFE"));
  ASSERT_FALSE(binary);
  EXPECT_EQ(binary.error().name, "DELTA_INVALID_PARTITION_VALUE");
  auto text = ParsePartitionValue(*Type(TypeKind::kInteger), "1.5");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::kCorruptLog);
}

TEST(PartitionDirectory, IsEscapedByHiveAndThenByTheUri) {
  auto in_log = [](const char* value) {
    return UriEncodePath(PartitionDirectory({{"p", std::string(value)}}));
  };
  EXPECT_EQ(in_log("a b"), "p=a%20b");
  EXPECT_EQ(in_log("a/b"), "p=a%252Fb");
  EXPECT_EQ(in_log("a%20b"), "p=a%252520b");
  EXPECT_EQ(in_log("a=b"), "p=a%253Db");
  EXPECT_EQ(in_log("é"), "p=é");
  EXPECT_EQ(in_log("a+b&c"), "p=a+b&c");
  EXPECT_EQ(in_log("2020-01-01T00:00:00.500000Z"), "p=2020-01-01%2000%253A00%253A00.5");
}

TEST(PartitionDirectory, NestsColumnsAndNamesNull) {
  EXPECT_EQ(PartitionDirectory({{"a", "1"}, {"b=c", std::nullopt}, {"d", ""}}),
            "a=1/b%3Dc=__HIVE_DEFAULT_PARTITION__/d=__HIVE_DEFAULT_PARTITION__");
}

TEST(PathNames, UnescapeUndoesEscape) {
  for (std::string text : {"a/b:c=d%e", "é\n\x7F", "plain", "100%", "%2", "%zz"}) {
    EXPECT_EQ(UnescapePathName(EscapePathName(text)), text);
  }
  EXPECT_EQ(UnescapePathName("100%"), "100%");
  EXPECT_EQ(UnescapePathName("%zz%2"), "%zz%2");
}

}  // namespace
}  // namespace weir::delta
