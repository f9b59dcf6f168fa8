// SPDX-License-Identifier: Apache-2.0
#include "delta/schema/types.h"

#include <gtest/gtest.h>

namespace weir::delta {
namespace {

StructField Field(std::string name, TypePtr type, bool nullable = true) {
  StructField field;
  field.name = std::move(name);
  field.type = std::move(type);
  field.nullable = nullable;
  return field;
}

TEST(DataType, SqlNamesAreSparks) {
  auto long_type = DataType::Primitive(TypeKind::kLong);
  EXPECT_EQ(long_type->ToSql(), "BIGINT");
  EXPECT_EQ(DataType::Decimal(10, 2)->ToSql(), "DECIMAL(10,2)");
  EXPECT_EQ(DataType::Interval("interval day to second")->ToSql(), "INTERVAL DAY TO SECOND");
  EXPECT_EQ(DataType::Text("varchar(5)")->ToSql(), "VARCHAR(5)");
  EXPECT_EQ(
      DataType::Map(DataType::Primitive(TypeKind::kString), DataType::Array(long_type, true), true)
          ->ToSql(),
      "MAP<STRING, ARRAY<BIGINT>>");
  EXPECT_EQ(DataType::Struct({Field("a", DataType::Primitive(TypeKind::kInteger)),
                              Field("b c`", long_type, false)})
                ->ToSql(),
            "STRUCT<a: INT, `b c```: BIGINT NOT NULL>");
}

TEST(DataType, FieldsAreFoundWithoutRegardToCase) {
  auto schema = DataType::Struct({Field("Id", DataType::Primitive(TypeKind::kLong))});
  EXPECT_EQ(schema->FindField("iD"), &schema->fields()[0]);
  EXPECT_EQ(schema->FindField("i"), nullptr);
}

TEST(DataType, EqualityMindsNullabilityAndMetadata) {
  auto type = DataType::Primitive(TypeKind::kLong);
  auto base = DataType::Struct({Field("a", type)});
  EXPECT_TRUE(base->Equals(*DataType::Struct({Field("a", DataType::Primitive(TypeKind::kLong))})));
  EXPECT_FALSE(base->Equals(*DataType::Struct({Field("A", type)})));
  EXPECT_FALSE(base->Equals(*DataType::Struct({Field("a", type, false)})));
  auto annotated = Field("a", type);
  annotated.metadata.Set("x", JsonValue::Int(1));
  EXPECT_FALSE(base->Equals(*DataType::Struct({annotated})));
  EXPECT_FALSE(DataType::Array(type, true)->Equals(*DataType::Array(type, false)));
  EXPECT_FALSE(DataType::Decimal(10, 2)->Equals(*DataType::Decimal(10, 3)));
  EXPECT_FALSE(DataType::Text("char(3)")->Equals(*DataType::Primitive(TypeKind::kString)));
}

TEST(StructField, ColumnMappingIsReadFromMetadata) {
  auto field = Field("a", DataType::Primitive(TypeKind::kLong));
  EXPECT_EQ(field.physical_name(), "a");
  EXPECT_EQ(field.field_id(), std::nullopt);
  field.metadata.Set("delta.columnMapping.id", JsonValue::Int(7));
  field.metadata.Set("delta.columnMapping.physicalName", JsonValue::String("col-1"));
  EXPECT_EQ(field.physical_name(), "col-1");
  EXPECT_EQ(field.field_id(), 7);
  EXPECT_EQ(field.MetadataText("delta.columnMapping.id"), nullptr);
}

}  // namespace
}  // namespace weir::delta
