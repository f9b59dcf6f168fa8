// SPDX-License-Identifier: Apache-2.0
#include "engine/values.h"

#include <gtest/gtest.h>

#include "engine/catalog/type_mapping.h"

namespace weir::engine {
namespace {

using delta::DataType;
using delta::TypeKind;
using duckdb::LogicalType;
using duckdb::Value;

TEST(ValuesTest, ComeBackAsTheyWere) {
  const std::vector<std::pair<delta::TypePtr, Value>> cases = {
      {DataType::Primitive(TypeKind::kBoolean), Value::BOOLEAN(true)},
      {DataType::Primitive(TypeKind::kByte), Value::TINYINT(-128)},
      {DataType::Primitive(TypeKind::kLong), Value::BIGINT(INT64_MIN)},
      {DataType::Primitive(TypeKind::kFloat), Value::FLOAT(1.5F)},
      {DataType::Primitive(TypeKind::kDouble), Value::DOUBLE(-0.0)},
      {DataType::Decimal(4, 2), Value::DECIMAL(int16_t{-1234}, 4, 2)},
      {DataType::Decimal(18, 3), Value::DECIMAL(int64_t{123456789012345678}, 18, 3)},
      {DataType::Primitive(TypeKind::kString), Value("é\u0000x")},
      {DataType::Primitive(TypeKind::kBinary), Value::BLOB_RAW(std::string("\0\xff", 2))},
      {DataType::Primitive(TypeKind::kDate), Value::DATE(1, 1, 1)},
      {DataType::Primitive(TypeKind::kTimestamp), Value::TIMESTAMPTZ(duckdb::timestamp_tz_t(-1))},
      {DataType::Primitive(TypeKind::kTimestampNtz), Value::TIMESTAMP(duckdb::timestamp_t(123456))},
  };
  for (const auto& [type, value] : cases) {
    auto converted = ToDelta(value, *type);
    ASSERT_TRUE(converted) << type->ToSql();
    auto duckdb_type = ToDuckDB(*type);
    ASSERT_TRUE(duckdb_type);
    auto back = ToDuckDB(*converted, *duckdb_type);
    EXPECT_EQ(back, value) << type->ToSql();
    EXPECT_EQ(back.type(), value.type()) << type->ToSql();
  }
}

TEST(ValuesTest, LongDecimalsKeepEveryDigit) {
  auto type = DataType::Decimal(38, 2);
  Value value("-123456789012345678901234567890123456.78");
  ASSERT_TRUE(value.DefaultTryCastAs(LogicalType::DECIMAL(38, 2)));
  auto converted = ToDelta(value, *type);
  ASSERT_TRUE(converted);
  EXPECT_EQ(ToDuckDB(*converted, LogicalType::DECIMAL(38, 2)).ToString(),
            "-123456789012345678901234567890123456.78");
}

TEST(ValuesTest, OtherKindsAreRefused) {
  auto timestamp = DataType::Primitive(TypeKind::kTimestamp);
  EXPECT_FALSE(ToDelta(Value::DATE(2024, 1, 1), *timestamp));
  EXPECT_FALSE(ToDelta(Value::TIMESTAMP(duckdb::timestamp_t(0)), *timestamp));
  EXPECT_FALSE(
      ToDelta(Value::DATE(duckdb::date_t::infinity()), *DataType::Primitive(TypeKind::kDate)));
  EXPECT_FALSE(ToDelta(Value::HUGEINT(1), *DataType::Primitive(TypeKind::kLong)));
}

TEST(TypeMappingTest, NestedTypesThereAndBack) {
  delta::StructField x;
  x.name = "x";
  x.type = DataType::Decimal(38, 18);
  delta::StructField map;
  map.name = "m";
  map.type = DataType::Map(DataType::Primitive(TypeKind::kString),
                           DataType::Array(DataType::Struct({x}), true), true);
  const auto type = DataType::Struct({map});
  auto there = ToDuckDB(*type);
  ASSERT_TRUE(there);
  EXPECT_EQ(there->ToString(), "STRUCT(m MAP(VARCHAR, STRUCT(x DECIMAL(38,18))[]))");
  auto back = FromDuckDB(*there);
  ASSERT_TRUE(back);
  EXPECT_TRUE((*back)->Equals(*type)) << (*back)->ToJson();
}

// What sum() of a BIGINT gives; a value of 39 digits fails when it is cast.
TEST(TypeMappingTest, HugeIntegersBecomeTheWidestDecimal) {
  auto mapped = FromDuckDB(LogicalType(LogicalType::HUGEINT));
  ASSERT_TRUE(mapped);
  EXPECT_EQ((*mapped)->ToJson(), "\"decimal(38,0)\"");
}

TEST(TypeMappingTest, TypesWithoutAHomeAreNamed) {
  for (const auto& type : {LogicalType(LogicalType::TIME), LogicalType(LogicalType::INTERVAL),
                           LogicalType(LogicalType::UUID)}) {
    auto mapped = FromDuckDB(type);
    ASSERT_FALSE(mapped) << type.ToString();
    EXPECT_EQ(mapped.error().name, "DELTA_UNSUPPORTED_DATA_TYPE");
    EXPECT_NE(mapped.error().message.find(type.ToString()), std::string::npos);
  }
}

}  // namespace
}  // namespace weir::engine
