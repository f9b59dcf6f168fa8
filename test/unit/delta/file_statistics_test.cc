// SPDX-License-Identifier: Apache-2.0
#include "delta/statistics/file_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/json.h"

namespace weir::delta {
namespace {

TypePtr Type(TypeKind kind) { return DataType::Primitive(kind); }

StructField Field(std::string name, TypePtr type) {
  StructField field;
  field.name = std::move(name);
  field.type = std::move(type);
  return field;
}

std::vector<StatisticsColumn> ColumnsOf(std::vector<StructField> fields, Metadata metadata = {}) {
  auto columns = StatisticsColumns(*DataType::Struct(std::move(fields)), metadata);
  EXPECT_TRUE(columns) << columns.error().ToString();
  return *columns;
}

// The statistics of a table with the one column `c`.
std::string StatsOf(TypePtr type, ColumnStatistics column) {
  DataFileStatistics file;
  file.num_records = 3;
  file.columns[{"c"}] = std::move(column);
  return BuildStatistics(ColumnsOf({Field("c", std::move(type))}), file);
}

TEST(BuildStatistics, WritesSparksShape) {
  DataFileStatistics file;
  file.num_records = 2;
  file.tight_bounds = true;
  file.columns[{"id"}] = {Value(int64_t{1}), Value(int64_t{7}), false, 0};
  file.columns[{"s", "a"}] = {Value("x"), Value("y"), false, 1};
  file.columns[{"flag"}] = {{}, {}, false, 2};
  auto columns = ColumnsOf({Field("id", Type(TypeKind::kLong)),
                            Field("s", DataType::Struct({Field("a", Type(TypeKind::kString))})),
                            Field("flag", Type(TypeKind::kBoolean))});
  EXPECT_EQ(
      BuildStatistics(columns, file),
      R"({"numRecords":2,"minValues":{"id":1,"s":{"a":"x"}},"maxValues":{"id":7,"s":{"a":"y"}},)"
      R"("nullCount":{"id":0,"s":{"a":1},"flag":2},"tightBounds":true})");
}

TEST(BuildStatistics, SaysNothingOfWhatIsUnknown) {
  DataFileStatistics file;
  file.num_records = 5;
  EXPECT_EQ(BuildStatistics(ColumnsOf({Field("a", Type(TypeKind::kInteger))}), file),
            R"({"numRecords":5,"minValues":{},"maxValues":{},"nullCount":{}})");
  EXPECT_EQ(BuildStatistics({}, file), R"({"numRecords":5})");
}

TEST(BuildStatistics, NanIsTheGreatestValue) {
  EXPECT_EQ(
      StatsOf(Type(TypeKind::kDouble), {Value(-3.0), Value(1.5), true, 0}),
      R"({"numRecords":3,"minValues":{"c":-3.0},"maxValues":{"c":"NaN"},"nullCount":{"c":0}})");
  EXPECT_EQ(
      StatsOf(Type(TypeKind::kDouble), {{}, {}, true, 0}),
      R"({"numRecords":3,"minValues":{"c":"NaN"},"maxValues":{"c":"NaN"},"nullCount":{"c":0}})");
  // Bounds of a writer that cannot tell: a NaN may be above the maximum.
  EXPECT_EQ(StatsOf(Type(TypeKind::kFloat), {Value(1.0), Value(2.0), std::nullopt, 0}),
            R"({"numRecords":3,"minValues":{"c":1.0},"maxValues":{},"nullCount":{"c":0}})");
}

TEST(BuildStatistics, InfinitiesAreStringsAndZeroKeepsItsSign) {
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(
      StatsOf(Type(TypeKind::kDouble), {Value(-infinity), Value(infinity), false, 0}),
      R"({"numRecords":3,"minValues":{"c":"-Infinity"},"maxValues":{"c":"Infinity"},"nullCount":{"c":0}})");
  EXPECT_EQ(
      StatsOf(Type(TypeKind::kDouble), {Value(-0.0), Value(-0.0), false, 0}),
      R"({"numRecords":3,"minValues":{"c":-0.0},"maxValues":{"c":-0.0},"nullCount":{"c":0}})");
}

TEST(BuildStatistics, DecimalsAreBareDigits) {
  auto low = *Decimal::Parse("1E-18");
  auto high = *Decimal::Parse("12345678901234567890.123456789012345678");
  std::string stats = StatsOf(DataType::Decimal(38, 18), {Value(low), Value(high), false, 0});
  EXPECT_EQ(
      stats,
      R"({"numRecords":3,"minValues":{"c":1E-18},"maxValues":{"c":12345678901234567890.123456789012345678},"nullCount":{"c":0}})");
  EXPECT_TRUE(JsonValue::Parse(stats));
}

TEST(BuildStatistics, TimestampsAreCutToMillisecondsTowardsThePast) {
  EXPECT_EQ(
      StatsOf(Type(TypeKind::kTimestamp),
              {Value(int64_t{-1}), Value(int64_t{1577836800123456}), false, 0}),
      R"({"numRecords":3,"minValues":{"c":"1969-12-31T23:59:59.999Z"},"maxValues":{"c":"2020-01-01T00:00:00.123Z"},"nullCount":{"c":0}})");
  EXPECT_EQ(
      StatsOf(Type(TypeKind::kTimestampNtz), {Value(int64_t{0}), Value(int64_t{0}), false, 0}),
      R"({"numRecords":3,"minValues":{"c":"1970-01-01T00:00:00.000"},"maxValues":{"c":"1970-01-01T00:00:00.000"},"nullCount":{"c":0}})");
  EXPECT_EQ(
      StatsOf(Type(TypeKind::kDate), {Value(int64_t{0}), Value(int64_t{1}), false, 0}),
      R"({"numRecords":3,"minValues":{"c":"1970-01-01"},"maxValues":{"c":"1970-01-02"},"nullCount":{"c":0}})");
}

std::string Repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(TruncateBounds, ShortTextIsKept) {
  std::string emoji = Repeat("\U0001F600", 16);
  EXPECT_EQ(TruncateMaximum(Repeat("a", 32)), Repeat("a", 32));
  EXPECT_EQ(TruncateMaximum(emoji), emoji) << "16 characters are 32 UTF-16 units";
  EXPECT_EQ(TruncateMinimum(emoji), emoji);
}

TEST(TruncateBounds, LongTextIsCutAndTheMaximumStaysAbove) {
  EXPECT_EQ(TruncateMinimum(Repeat("a", 40)), Repeat("a", 32));
  EXPECT_EQ(TruncateMaximum(Repeat("a", 40)), Repeat("a", 32) + "\x7F");
  EXPECT_EQ(TruncateMaximum(Repeat("a", 32) + "é"), Repeat("a", 32) + "\U0010FFFF");
  // A tie-breaker that is no greater than the character it stands for would be below the value.
  EXPECT_EQ(TruncateMaximum(Repeat("a", 32) + "\x7F" + "b"), Repeat("a", 32) + "\U0010FFFF");
  EXPECT_EQ(TruncateMaximum(Repeat("a", 32) + "\U0010FFFF" + "b"),
            Repeat("a", 32) + "\U0010FFFF" + "\x7F");
  EXPECT_EQ(TruncateMaximum(Repeat("a", 32) + "\U0010FFFF"), Repeat("a", 32) + "\U0010FFFF");
}

TEST(TruncateBounds, BoundsHoldInByteOrder) {
  for (std::string_view character :
       {"a", "\x7F", "é", "\uFFFD", "\uFFFF", "\U0001F600", "\U0010FFFF"}) {
    for (std::string_view tail :
         {"a", "\x7F", "é", "\uFFFD", "\U0001F600", "\U0010FFFF", "z\U0010FFFF"}) {
      for (int length : {15, 16, 31, 32, 33}) {
        std::string value = Repeat(character, length) + std::string(tail) + "q";
        auto maximum = TruncateMaximum(value);
        ASSERT_TRUE(maximum);
        EXPECT_GE(*maximum, value);
        EXPECT_LE(TruncateMinimum(value), value);
      }
    }
  }
  EXPECT_FALSE(TruncateMaximum(Repeat("\U0010FFFF", 500))) << "no short bound exists";
}

TEST(TruncateBounds, TextThatIsNoUtf8HasNoMaximum) {
  EXPECT_FALSE(TruncateMaximum("\xFF\xFE"));
  EXPECT_FALSE(TruncateMaximum(Repeat("a", 32) + "\xFF" + "tail"));
  EXPECT_EQ(TruncateMinimum("\xFFzzz"), "");
}

TEST(StatisticsColumns, AreTheFirst32LeavesWithoutPartitionColumns) {
  std::vector<StructField> inner;
  for (int i = 0; i < 40; ++i) {
    inner.push_back(Field("x" + std::to_string(i), Type(TypeKind::kLong)));
  }
  Metadata metadata;
  metadata.partition_columns = {"P"};
  auto columns = ColumnsOf(
      {Field("p", Type(TypeKind::kString)), Field("s", DataType::Struct(inner))}, metadata);
  ASSERT_EQ(columns.size(), 32U);
  EXPECT_EQ(columns[0].path, (ColumnPath{"s", "x0"}));
  metadata.configuration["delta.dataSkippingNumIndexedCols"] = "-1";
  EXPECT_EQ(ColumnsOf({Field("s", DataType::Struct(inner))}, metadata).size(), 40U);
  metadata.configuration["delta.dataSkippingNumIndexedCols"] = "0";
  EXPECT_EQ(ColumnsOf({Field("s", DataType::Struct(inner))}, metadata).size(), 0U);
  metadata.configuration["delta.dataSkippingNumIndexedCols"] = "many";
  auto bad = StatisticsColumns(*DataType::Struct(inner), metadata);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().name, "DELTA_INVALID_DATA_SKIPPING_PROPERTY");
}

TEST(StatisticsColumns, ListedNamesMayBeQuotedNestedOrGone) {
  Metadata metadata;
  metadata.configuration["delta.dataSkippingStatsColumns"] = "`z.z`, S.a ,gone,`b``c`";
  auto columns = ColumnsOf({Field("z.z", Type(TypeKind::kLong)), Field("y", Type(TypeKind::kLong)),
                            Field("s", DataType::Struct({Field("a", Type(TypeKind::kLong)),
                                                         Field("b", Type(TypeKind::kLong))})),
                            Field("b`c", Type(TypeKind::kLong))},
                           metadata);
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns[0].path, (ColumnPath{"z.z"}));
  EXPECT_EQ(columns[1].path, (ColumnPath{"s", "a"}));
  EXPECT_EQ(columns[2].path, (ColumnPath{"b`c"}));
}

TEST(StatisticsColumns, StandInTheFileUnderPhysicalNames) {
  StructField field = Field("a", Type(TypeKind::kLong));
  field.metadata.Set("delta.columnMapping.physicalName", JsonValue::String("col-1"));
  auto columns = ColumnsOf({field});
  EXPECT_EQ(columns[0].physical_path, (ColumnPath{"col-1"}));
}

TEST(WidenBounds, KeepsEveryDigitAndSetsTheFlag) {
  auto wide = WidenBounds(
      R"({"numRecords":3,"minValues":{"d":1.100000000000000000001},"tightBounds":true,"x":{}})");
  ASSERT_TRUE(wide);
  EXPECT_EQ(
      *wide,
      R"({"numRecords":3,"minValues":{"d":1.100000000000000000001},"tightBounds":false,"x":{}})");
  EXPECT_EQ(*WidenBounds(R"({"numRecords":3})"), R"({"numRecords":3,"tightBounds":false})");
  for (const char* text : {"", "{}", R"({"numRecords":-1})"}) {
    auto missing = WidenBounds(text);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().name, "DELTA_ADDING_DELETION_VECTORS_WITHOUT_NUM_RECORDS");
  }
}

TEST(ReadNumRecords, FindsItAnywhere) {
  EXPECT_EQ(ReadNumRecords(R"({"minValues":{"numRecords":9},"numRecords":4})"), 4);
  EXPECT_EQ(ReadNumRecords("[1]"), std::nullopt);
  EXPECT_EQ(ReadNumRecords("{\"numRecords\":"), std::nullopt);
}

}  // namespace
}  // namespace weir::delta
