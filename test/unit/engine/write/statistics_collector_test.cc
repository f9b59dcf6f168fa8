// SPDX-License-Identifier: Apache-2.0
#include "engine/write/statistics_collector.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace weir::engine {
namespace {

using delta::DataType;
using delta::StructField;
using delta::TypeKind;
using duckdb::LogicalType;
using duckdb::Value;

// The statistics of one column `c` that holds `values`, as JSON.
std::string StatisticsOf(const delta::TypePtr& type, const LogicalType& duckdb_type,
                         const std::vector<Value>& values) {
  StructField field;
  field.name = "c";
  field.type = type;
  const auto schema = DataType::Struct({field});
  const auto columns = *delta::StatisticsColumns(*schema, delta::Metadata());
  const std::vector<StatisticsField> fields = {StatisticsField::Of(field, columns)};
  StatisticsCollector all(fields);
  // Half of the rows each, so that merging counts.
  for (size_t begin : {size_t{0}, values.size() / 2}) {
    const size_t end = begin == 0 ? values.size() / 2 : values.size();
    if (begin == end) continue;
    StatisticsCollector part(fields);
    duckdb::DataChunk chunk;
    chunk.Initialize(duckdb::Allocator::DefaultAllocator(), {duckdb_type});
    for (size_t i = begin; i < end; i++) chunk.SetValue(0, i - begin, values[i]);
    chunk.SetCardinality(end - begin);
    part.Update(chunk);
    all.Merge(part);
  }
  return delta::BuildStatistics(columns, all.Finish());
}

TEST(StatisticsCollector, IntegersAtTheirLimits) {
  EXPECT_EQ(StatisticsOf(DataType::Primitive(TypeKind::kLong), LogicalType::BIGINT,
                         {Value::BIGINT(INT64_MAX), Value(LogicalType::BIGINT),
                          Value::BIGINT(INT64_MIN), Value::BIGINT(0)}),
            R"({"numRecords":4,"minValues":{"c":-9223372036854775808},)"
            R"("maxValues":{"c":9223372036854775807},"nullCount":{"c":1}})");
}

TEST(StatisticsCollector, NanIsTheGreatestDouble) {
  EXPECT_EQ(
      StatisticsOf(
          DataType::Primitive(TypeKind::kDouble), LogicalType::DOUBLE,
          {Value::DOUBLE(1.5), Value::DOUBLE(std::nan("")), Value::DOUBLE(-3), Value::DOUBLE(0)}),
      R"({"numRecords":4,"minValues":{"c":-3.0},"maxValues":{"c":"NaN"},"nullCount":{"c":0}})");
}

TEST(StatisticsCollector, BothZerosAreWithinTheBounds) {
  EXPECT_EQ(StatisticsOf(DataType::Primitive(TypeKind::kDouble), LogicalType::DOUBLE,
                         {Value::DOUBLE(0.0), Value::DOUBLE(-0.0)}),
            R"({"numRecords":2,"minValues":{"c":-0.0},"maxValues":{"c":0.0},"nullCount":{"c":0}})");
}

TEST(StatisticsCollector, WideDecimalsAreExact) {
  EXPECT_EQ(StatisticsOf(DataType::Decimal(38, 18), LogicalType::DECIMAL(38, 18),
                         {Value("12345678901234567890.123456789012345678")
                              .DefaultCastAs(LogicalType::DECIMAL(38, 18)),
                          Value("-1").DefaultCastAs(LogicalType::DECIMAL(38, 18))}),
            R"({"numRecords":2,"minValues":{"c":-1.000000000000000000},)"
            R"("maxValues":{"c":12345678901234567890.123456789012345678},"nullCount":{"c":0}})");
}

TEST(StatisticsCollector, OnlyNulls) {
  EXPECT_EQ(StatisticsOf(DataType::Primitive(TypeKind::kString), LogicalType::VARCHAR,
                         {Value(LogicalType::VARCHAR), Value(LogicalType::VARCHAR)}),
            R"({"numRecords":2,"minValues":{},"maxValues":{},"nullCount":{"c":2}})");
}

TEST(StatisticsCollector, FieldsOfNullStructsCountAsNull) {
  StructField a;
  a.name = "a";
  a.type = DataType::Primitive(TypeKind::kInteger);
  const auto type = LogicalType::STRUCT({{"a", LogicalType::INTEGER}});
  EXPECT_EQ(StatisticsOf(DataType::Struct({a}), type,
                         {Value::STRUCT({{"a", Value::INTEGER(3)}}), Value(type),
                          Value::STRUCT({{"a", Value(LogicalType::INTEGER)}}),
                          Value::STRUCT({{"a", Value::INTEGER(-7)}})}),
            R"({"numRecords":4,"minValues":{"c":{"a":-7}},"maxValues":{"c":{"a":3}},)"
            R"("nullCount":{"c":{"a":2}}})");
}

}  // namespace
}  // namespace weir::engine
