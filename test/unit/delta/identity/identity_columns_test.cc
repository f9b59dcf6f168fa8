// SPDX-License-Identifier: Apache-2.0
#include "delta/identity/identity_columns.h"

#include <gtest/gtest.h>

#include <limits>

namespace weir::delta {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

Identity Counting(int64_t start, int64_t step, std::optional<int64_t> mark = std::nullopt) {
  return {start, step, false, mark};
}

StructField Column(Identity identity, TypeKind kind = TypeKind::kLong) {
  StructField field;
  field.name = "id";
  field.type = DataType::Primitive(kind);
  EXPECT_TRUE(SetIdentity(field, identity));
  return field;
}

TEST(IdentityTest, CountsFromTheStartAndThenFromTheMark) {
  EXPECT_EQ(Counting(5, 3).Next(), 5);
  EXPECT_EQ(Counting(5, 3).Last(4), 14);
  EXPECT_EQ(Counting(5, 3, 14).Next(), 17);
  EXPECT_EQ(Counting(10, -5, 5).Next(), 0);
  EXPECT_EQ(Counting(10, -5, 5).Last(3), -10);
}

TEST(IdentityTest, ReturnsToTheGridFromAMarkBesideIt) {
  EXPECT_EQ(Counting(5, 3, 15).Next(), 17);
  EXPECT_EQ(Counting(5, 3, 4).Next(), 5);
  EXPECT_EQ(Counting(10, -5, -12).Next(), -15);
}

TEST(IdentityTest, EndsWhereTheNumbersEnd) {
  EXPECT_EQ(Counting(kMax, 1).Next(), kMax);
  EXPECT_EQ(Counting(kMax, 1, kMax).Next(), std::nullopt);
  EXPECT_EQ(Counting(kMin, -1, kMin).Next(), std::nullopt);
  EXPECT_EQ(Counting(kMin, kMax, kMin).Last(2), kMin + kMax + kMax);
  EXPECT_EQ(Counting(1, 1).Last(kMax), kMax);
  EXPECT_EQ(Counting(2, 1).Last(kMax), std::nullopt);
}

TEST(IdentityTest, SyncsToValuesInTheTable) {
  const auto mark = [](const Identity& identity, int64_t value) {
    return SyncedTo(identity, value).high_water_mark;
  };
  EXPECT_EQ(mark(Counting(10, 5), 20), 20);
  EXPECT_EQ(mark(Counting(10, 5), 21), 25);
  EXPECT_EQ(mark(Counting(10, 5), 9), std::nullopt);
  EXPECT_EQ(mark(Counting(10, -5), -12), -15);
  EXPECT_EQ(mark(Counting(10, -5), 11), std::nullopt);
  EXPECT_EQ(mark(Counting(0, 2), kMax), std::nullopt);
  EXPECT_EQ(mark(Counting(10, 5, 40), 20), 40);
  EXPECT_EQ(mark(Counting(10, -5, -40), -12), -40);
}

TEST(IdentityTest, ReadsWhatItHasWritten) {
  const auto identity = IdentityOf(Column({-3, 7, true, std::nullopt}));
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->start, -3);
  EXPECT_EQ(identity->step, 7);
  EXPECT_TRUE(identity->allows_explicit);
  EXPECT_FALSE(identity->high_water_mark);
}

TEST(IdentityTest, RefusesWhatDoesNotCount) {
  StructField field = Column(Counting(1, 1));
  EXPECT_EQ(SetIdentity(field, Counting(1, 0)).error().name, "DELTA_IDENTITY_COLUMNS_ILLEGAL_STEP");
  field.metadata.Set("delta.identity.step", JsonValue::Int(0));
  EXPECT_EQ(IdentityOf(field).error().name, "DELTA_IDENTITY_COLUMNS_MALFORMED");
  field.metadata.Set("delta.identity.step", JsonValue::String("1"));
  EXPECT_EQ(IdentityOf(field).error().name, "DELTA_IDENTITY_COLUMNS_MALFORMED");
  field.type = DataType::Primitive(TypeKind::kInteger);
  EXPECT_EQ(SetIdentity(field, Counting(1, 1)).error().name,
            "DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE");
}

TEST(IdentityTest, MarksOnlyMoveForward) {
  const TypePtr empty = DataType::Struct({Column(Counting(1, 1))});
  const TypePtr at_five = WithIdentityMark(empty, 0, 5);
  const TypePtr at_nine = WithIdentityMark(empty, 0, 9);
  EXPECT_EQ(WithIdentityMark(at_five, 0, 5), at_five);
  const auto mark = [](const Result<TypePtr>& schema) {
    return IdentityOf((*schema)->fields()[0])->high_water_mark;
  };
  EXPECT_EQ(mark(WithIdentityMarksOf(empty, *at_nine)), 9);
  EXPECT_EQ(mark(WithIdentityMarksOf(at_five, *at_nine)), 9);
  EXPECT_EQ(mark(WithIdentityMarksOf(at_nine, *at_five)), 9);
  EXPECT_EQ(mark(WithIdentityMarksOf(at_five, *empty)), 5);
}

}  // namespace
}  // namespace weir::delta
