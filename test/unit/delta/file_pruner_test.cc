// SPDX-License-Identifier: Apache-2.0
#include "delta/statistics/file_pruner.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weir::delta {
namespace {

using enum CompareOp;

TypePtr Type(TypeKind kind) { return DataType::Primitive(kind); }

// A table of one column `c` of a type, and a file with the given statistics.
FileMatch Match(TypePtr type, std::string stats, const PredicatePtr& predicate) {
  StructField field;
  field.name = "c";
  field.type = std::move(type);
  TypePtr schema = DataType::Struct({field});
  AddFile file;
  file.stats = std::move(stats);
  return FilePruner(*schema, {}, predicate).Evaluate(file);
}

std::string Bounds(std::string_view low, std::string_view high, int64_t nulls = 0) {
  return "{\"numRecords\":10,\"minValues\":{\"c\":" + std::string(low) +
         "},\"maxValues\":{\"c\":" + std::string(high) +
         "},\"nullCount\":{\"c\":" + std::to_string(nulls) + "}}";
}

PredicatePtr C(CompareOp op, Value value) {
  return Predicate::Compare({"C"}, op, std::move(value));
}
Value Int(int64_t value) { return Value(value); }

TEST(FilePruner, ComparesWithBounds) {
  auto type = Type(TypeKind::kLong);
  auto stats = Bounds("3", "7");
  EXPECT_EQ(Match(type, stats, C(kEqual, Int(2))), FileMatch::kNever);
  EXPECT_EQ(Match(type, stats, C(kEqual, Int(3))), FileMatch::kMaybe);
  EXPECT_EQ(Match(type, stats, C(kEqual, Int(8))), FileMatch::kNever);
  EXPECT_EQ(Match(type, stats, C(kLess, Int(3))), FileMatch::kNever);
  EXPECT_EQ(Match(type, stats, C(kLessOrEqual, Int(3))), FileMatch::kMaybe);
  EXPECT_EQ(Match(type, stats, C(kGreater, Int(7))), FileMatch::kNever);
  EXPECT_EQ(Match(type, stats, C(kGreaterOrEqual, Int(7))), FileMatch::kMaybe);
  EXPECT_EQ(Match(type, stats, C(kGreaterOrEqual, Int(3))), FileMatch::kAlways);
  EXPECT_EQ(Match(type, stats, C(kNotEqual, Int(9))), FileMatch::kAlways);
  EXPECT_EQ(Match(type, Bounds("5", "5"), C(kNotEqual, Int(5))), FileMatch::kNever);
  EXPECT_EQ(Match(type, Bounds("5", "5"), C(kEqual, Int(5))), FileMatch::kAlways);
  EXPECT_EQ(Match(type, stats, Predicate::In({"c"}, {Int(1), Int(9)})), FileMatch::kNever);
  EXPECT_EQ(Match(type, stats, Predicate::In({"c"}, {Int(1), Int(4)})), FileMatch::kMaybe);
  EXPECT_EQ(Match(type, stats, Predicate::In({"c"}, {})), FileMatch::kNever);
}

TEST(FilePruner, NullMakesAComparisonNull) {
  auto type = Type(TypeKind::kLong);
  EXPECT_EQ(Match(type, Bounds("3", "7", 1), C(kGreaterOrEqual, Int(3))), FileMatch::kMaybe);
  EXPECT_EQ(Match(type, Bounds("3", "7"), C(kEqual, Value())), FileMatch::kNever);
  EXPECT_EQ(Match(type, Bounds("3", "7"), Predicate::Not(C(kEqual, Value()))), FileMatch::kNever);
  // x NOT IN (9, NULL) is never true.
  EXPECT_EQ(Match(type, Bounds("3", "7"), Predicate::Not(Predicate::In({"c"}, {Int(9), Value()}))),
            FileMatch::kNever);
  EXPECT_EQ(Match(type, Bounds("3", "7"), Predicate::IsNull({"c"})), FileMatch::kNever);
  EXPECT_EQ(Match(type, Bounds("3", "7"), Predicate::IsNotNull({"c"})), FileMatch::kAlways);
  EXPECT_EQ(Match(type, Bounds("3", "7", 10), Predicate::IsNotNull({"c"})), FileMatch::kNever);
  EXPECT_EQ(Match(type, Bounds("3", "7", 10), C(kGreater, Int(0))), FileMatch::kNever);
  EXPECT_EQ(Match(type, Bounds("3", "7", 4), Predicate::IsNull({"c"})), FileMatch::kMaybe);
}

TEST(FilePruner, NotIsTheComplementAndAndOrCombine) {
  auto type = Type(TypeKind::kLong);
  auto stats = Bounds("3", "7");
  EXPECT_EQ(Match(type, stats, Predicate::Not(C(kLess, Int(9)))), FileMatch::kNever);
  EXPECT_EQ(Match(type, stats, Predicate::And({C(kLess, Int(9)), C(kGreater, Int(8))})),
            FileMatch::kNever);
  EXPECT_EQ(Match(type, stats, Predicate::Or({C(kLess, Int(1)), C(kGreater, Int(8))})),
            FileMatch::kNever);
  EXPECT_EQ(Match(type, stats, Predicate::Or({Predicate::Unknown(), C(kGreater, Int(8))})),
            FileMatch::kMaybe);
  EXPECT_EQ(Match(type, stats, Predicate::And({Predicate::Unknown(), C(kGreater, Int(8))})),
            FileMatch::kNever);
  EXPECT_EQ(Match(type, stats, Predicate::And({})), FileMatch::kAlways);
  EXPECT_EQ(Match(type, stats, Predicate::Or({})), FileMatch::kNever);
}

TEST(FilePruner, ColumnsAndStatisticsThatAreMissingKeepTheFile) {
  auto type = Type(TypeKind::kLong);
  auto is_one = C(kEqual, Int(1));
  for (const char* stats :
       {"", "{}", "null", "[]", "{\"numRecords\":3}", "{\"numRecords\":3,\"minValues\":{}}",
        "{\"minValues\":{\"c\":5},", "{\"minValues\":{\"c\":\"x\"}}",
        "{\"minValues\":{\"c\":1.5e3}}", "{\"minValues\":{\"c\":{\"d\":7}}}", "{\"minValues\":7}",
        "{\"minValues\":{\"c\":null}}"}) {
    EXPECT_EQ(Match(type, stats, is_one), FileMatch::kMaybe) << stats;
  }
  EXPECT_EQ(Match(type, Bounds("3", "7"), Predicate::Compare({"gone"}, kEqual, Int(1))),
            FileMatch::kMaybe);
  EXPECT_EQ(Match(type, Bounds("3", "7"), Predicate::Compare({"c", "d"}, kEqual, Int(1))),
            FileMatch::kMaybe);
  EXPECT_EQ(Match(type, Bounds("3", "7"), C(kEqual, Value("text"))), FileMatch::kMaybe);
  EXPECT_EQ(Match(type, R"({"numRecords":3,"nullCount":{"c":7}})", Predicate::IsNull({"c"})),
            FileMatch::kMaybe)
      << "a count beyond the rows says nothing";
  EXPECT_EQ(Match(type, R"({"numRecords":0})", is_one), FileMatch::kNever) << "no rows at all";
}

TEST(FilePruner, LooseBoundsStillBound) {
  auto type = Type(TypeKind::kLong);
  std::string stats =
      R"({"numRecords":10,"minValues":{"c":3},"maxValues":{"c":7},"nullCount":{"c":4},"tightBounds":false})";
  EXPECT_EQ(Match(type, stats, C(kEqual, Int(9))), FileMatch::kNever);
  EXPECT_EQ(Match(type, stats, Predicate::IsNull({"c"})), FileMatch::kMaybe);
  EXPECT_EQ(Match(type, stats, Predicate::IsNotNull({"c"})), FileMatch::kMaybe);
}

TEST(FilePruner, TimestampsCutToMillisecondsAreFound) {
  auto type = Type(TypeKind::kTimestamp);
  auto stats = Bounds("\"2020-01-01T00:00:00.080Z\"", "\"2020-01-01T00:00:00.080Z\"");
  int64_t micros = 1577836800080758;
  EXPECT_EQ(Match(type, stats, C(kEqual, Int(micros))), FileMatch::kMaybe);
  EXPECT_EQ(Match(type, stats, C(kGreater, Int(micros - 100))), FileMatch::kMaybe);
  EXPECT_EQ(Match(type, stats, C(kGreater, Int(micros + 1000))), FileMatch::kNever);
  EXPECT_EQ(Match(type, stats, C(kNotEqual, Int(micros - 758))), FileMatch::kMaybe);
  auto session = Bounds("\"2019-12-31T16:00:00.080-08:00\"", "\"2019-12-31T16:00:00.080-08:00\"");
  EXPECT_EQ(Match(type, session, C(kEqual, Int(micros))), FileMatch::kMaybe);
  EXPECT_EQ(Match(type, session, C(kLess, Int(1577836800000000))), FileMatch::kNever);
}

TEST(FilePruner, TextBoundsThatWereCut) {
  auto type = Type(TypeKind::kString);
  std::string prefix(32, 'a');
  auto stats = Bounds("\"" + prefix + "\"", "\"" + prefix + "\x7F\"");
  EXPECT_EQ(Match(type, stats, C(kEqual, Value(prefix + "zzz"))), FileMatch::kMaybe);
  EXPECT_EQ(Match(type, stats, C(kEqual, Value("b"))), FileMatch::kNever);
  // An older tie-breaker, which sorts below an emoji.
  auto old = Bounds("\"a\"", "\"" + prefix + "\xEF\xBF\xBD\"");
  EXPECT_EQ(Match(type, old, C(kEqual, Value(prefix + "\U0001F600"))), FileMatch::kMaybe);
  EXPECT_EQ(Match(type, old, C(kEqual, Value("b"))), FileMatch::kNever);
}

TEST(FilePruner, NanIsGreatestAndMayBeMissingFromBounds) {
  auto type = Type(TypeKind::kDouble);
  auto stats = Bounds("1.0", "2.0");
  EXPECT_EQ(Match(type, stats, C(kGreater, Value(5.0))), FileMatch::kMaybe);
  EXPECT_EQ(Match(type, stats, C(kNotEqual, Value(5.0))), FileMatch::kAlways);
  EXPECT_EQ(Match(type, stats, C(kEqual, Value(5.0))), FileMatch::kNever);
  EXPECT_EQ(Match(type, stats, C(kLess, Value(1.0))), FileMatch::kNever);
  EXPECT_EQ(Match(type, stats, C(kEqual, Value(std::nan("")))), FileMatch::kMaybe);
  // Neither the numbers nor a NaN are between 3 and 4.
  EXPECT_EQ(Match(type, stats,
                  Predicate::And({C(kGreaterOrEqual, Value(3.0)), C(kLessOrEqual, Value(4.0))})),
            FileMatch::kNever);
  EXPECT_EQ(Match(type, Bounds("-3.0", "\"NaN\""), C(kGreater, Value(1e9))), FileMatch::kMaybe);
  EXPECT_EQ(Match(type, Bounds("\"NaN\"", "\"NaN\""), C(kLess, Value(1e9))), FileMatch::kNever);
  EXPECT_EQ(Match(type, Bounds("\"NaN\"", "\"NaN\""), C(kGreater, Value(1e9))), FileMatch::kAlways);
  EXPECT_EQ(Match(type, Bounds("\"-Infinity\"", "\"Infinity\""), C(kEqual, Value(0.0))),
            FileMatch::kMaybe);
  EXPECT_EQ(Match(type, Bounds("-0.0", "-0.0"), C(kEqual, Value(0.0))), FileMatch::kMaybe);
  EXPECT_EQ(Match(type, R"({"numRecords":2,"nullCount":{"c":2}})", C(kGreater, Value(0.0))),
            FileMatch::kNever);
}

TEST(FilePruner, DecimalsAreExact) {
  auto type = DataType::Decimal(38, 0);
  auto stats = Bounds("999999999999999999", "999999999999999999");
  EXPECT_EQ(Match(type, stats, C(kEqual, Value(*Decimal::Parse("999999999999999999")))),
            FileMatch::kAlways);
  EXPECT_EQ(Match(type, stats, C(kEqual, Value(*Decimal::Parse("1000000000000000000")))),
            FileMatch::kNever);
  // Printed from a double by a careless writer: the value itself is a little below.
  auto bent = Bounds("1000000000000000000.0", "1000000000000000000.0");
  EXPECT_EQ(Match(type, bent, C(kEqual, Value(*Decimal::Parse("999999999999999999")))),
            FileMatch::kMaybe);
  EXPECT_EQ(
      Match(DataType::Decimal(10, 2), Bounds("1.10", "1.10"), C(kEqual, Value(Decimal{11, 1}))),
      FileMatch::kAlways);
}

TEST(FilePruner, BoundsOfAFloatThatWasWidened) {
  StructField field;
  field.name = "c";
  field.type = Type(TypeKind::kDouble);
  field.metadata.Set("delta.typeChanges", JsonValue::Array());
  TypePtr schema = DataType::Struct({field});
  AddFile file;
  file.stats = Bounds("1.1", "1.1");
  auto value = Value(static_cast<double>(1.1F));
  EXPECT_EQ(FilePruner(*schema, {}, C(kEqual, value)).Evaluate(file), FileMatch::kMaybe);
  EXPECT_EQ(FilePruner(*schema, {}, C(kLess, Value(1.0))).Evaluate(file), FileMatch::kNever);
}

class PartitionPruning : public testing::Test {
 protected:
  FileMatch Match(std::optional<std::string> text, const PredicatePtr& predicate) {
    StructField p;
    p.name = "p";
    p.type = type_;
    p.metadata.Set("delta.columnMapping.physicalName", JsonValue::String("col-p"));
    StructField s;
    s.name = "s";
    StructField a;
    a.name = "a";
    a.type = Type(TypeKind::kLong);
    a.metadata.Set("delta.columnMapping.physicalName", JsonValue::String("col-a"));
    s.type = DataType::Struct({a});
    Metadata metadata;
    metadata.partition_columns = {"p"};
    AddFile file;
    file.partition_values["col-p"] = std::move(text);
    file.stats = R"({"numRecords":1,"minValues":{"s":{"col-a":5}},"maxValues":{"s":{"col-a":5}}})";
    FilePruner pruner(*DataType::Struct({p, s}), metadata, predicate);
    wanted_ = pruner.statistics_columns();
    return pruner.Evaluate(file);
  }

  TypePtr type_ = Type(TypeKind::kString);
  std::vector<std::string> wanted_;
};

TEST_F(PartitionPruning, IsExact) {
  auto is_not_a = Predicate::Compare({"p"}, kNotEqual, Value("a"));
  EXPECT_EQ(Match("a", is_not_a), FileMatch::kNever);
  EXPECT_EQ(Match("b", is_not_a), FileMatch::kAlways);
  EXPECT_EQ(Match(std::nullopt, is_not_a), FileMatch::kNever) << "NULL <> 'a' is NULL";
  EXPECT_EQ(Match("b", Predicate::Compare({"P"}, kEqual, Value("b"))), FileMatch::kAlways);
  EXPECT_TRUE(wanted_.empty());
  EXPECT_EQ(Match(std::nullopt, Predicate::IsNull({"p"})), FileMatch::kAlways);
  EXPECT_EQ(Match("b", Predicate::IsNull({"p"})), FileMatch::kNever);
}

TEST_F(PartitionPruning, ReadsTypesAndKeepsTheUnreadable) {
  type_ = Type(TypeKind::kInteger);
  EXPECT_EQ(Match("10", Predicate::Compare({"p"}, kGreater, Int(9))), FileMatch::kAlways);
  EXPECT_EQ(Match("ten", Predicate::Compare({"p"}, kGreater, Int(9))), FileMatch::kMaybe);
  type_ = Type(TypeKind::kTimestamp);
  auto at = Predicate::Compare({"p"}, kEqual, Int(1577836800123456));
  EXPECT_EQ(Match("2020-01-01T00:00:00.123456Z", at), FileMatch::kAlways);
  EXPECT_EQ(Match("2020-01-01 00:00:00.123456", at), FileMatch::kAlways);
}

TEST_F(PartitionPruning, StatisticsAreFoundByPhysicalName) {
  auto a_is = [](int64_t value) { return Predicate::Compare({"S", "A"}, kEqual, Int(value)); };
  EXPECT_EQ(Match("x", a_is(6)), FileMatch::kNever);
  EXPECT_EQ(wanted_, std::vector<std::string>{"s"});
  EXPECT_EQ(Match("x", a_is(5)), FileMatch::kMaybe);
  EXPECT_EQ(Match("x", Predicate::Or({a_is(6), Predicate::Compare({"p"}, kEqual, Value("x"))})),
            FileMatch::kAlways);
}

}  // namespace
}  // namespace weir::delta
