// SPDX-License-Identifier: Apache-2.0
#include "delta/schema/schema_edit.h"

#include <gtest/gtest.h>

namespace weir::delta {
namespace {

TypePtr Int() { return DataType::Primitive(TypeKind::kInteger); }

StructField Field(std::string name, TypePtr type) {
  StructField field;
  field.name = std::move(name);
  field.type = std::move(type);
  return field;
}

// a, s<x, y>, l array<struct<e>>, m map<int, struct<v>>
TypePtr Schema() {
  return DataType::Struct(
      {Field("a", Int()), Field("s", DataType::Struct({Field("x", Int()), Field("y", Int())})),
       Field("l", DataType::Array(DataType::Struct({Field("e", Int())}), true)),
       Field("m", DataType::Map(Int(), DataType::Struct({Field("v", Int())}), true))});
}

std::string Sql(const Result<TypePtr>& type) { return type ? (*type)->ToSql() : type.error().name; }

constexpr auto kFirst = FieldPlace::Kind::kFirst;
constexpr auto kAfter = FieldPlace::Kind::kAfter;

TEST(SchemaEdit, AddsAtAnyDepthAndPlace) {
  EXPECT_EQ(Sql(AddField(Schema(), {"s"}, Field("z", Int()), {kFirst, ""})),
            "STRUCT<a: INT, s: STRUCT<z: INT, x: INT, y: INT>, l: ARRAY<STRUCT<e: INT>>, m: "
            "MAP<INT, STRUCT<v: INT>>>");
  EXPECT_EQ(Sql(AddField(Schema(), {"s"}, Field("z", Int()), {kAfter, "X"})),
            "STRUCT<a: INT, s: STRUCT<x: INT, z: INT, y: INT>, l: ARRAY<STRUCT<e: INT>>, m: "
            "MAP<INT, STRUCT<v: INT>>>");
  EXPECT_EQ(Sql(AddField(Schema(), {"m", "value"}, Field("z", Int()), {})),
            "STRUCT<a: INT, s: STRUCT<x: INT, y: INT>, l: ARRAY<STRUCT<e: INT>>, m: MAP<INT, "
            "STRUCT<v: INT, z: INT>>>");
  EXPECT_EQ(Sql(AddField(Schema(), {}, Field("A", Int()), {})), "FIELD_ALREADY_EXISTS");
  EXPECT_EQ(Sql(AddField(Schema(), {"a"}, Field("z", Int()), {})), "INVALID_FIELD_NAME");
  EXPECT_EQ(Sql(AddField(Schema(), {"l"}, Field("z", Int()), {})), "INVALID_FIELD_NAME");
  EXPECT_EQ(Sql(AddField(Schema(), {"no"}, Field("z", Int()), {})),
            "UNRESOLVED_COLUMN.WITH_SUGGESTION");
  EXPECT_EQ(Sql(AddField(Schema(), {"s"}, Field("z", Int()), {kAfter, "no"})), "FIELD_NOT_FOUND");
}

TEST(SchemaEdit, DropsButNotTheLastOne) {
  EXPECT_EQ(Sql(DropField(Schema(), {"S", "X"})),
            "STRUCT<a: INT, s: STRUCT<y: INT>, l: ARRAY<STRUCT<e: INT>>, m: MAP<INT, STRUCT<v: "
            "INT>>>");
  EXPECT_EQ(Sql(DropField(Schema(), {"l", "element", "e"})),
            "DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA");
  EXPECT_EQ(Sql(DropField(Schema(), {"l", "element"})),
            "DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE");
  EXPECT_EQ(Sql(DropField(Schema(), {"s", "no"})), "UNRESOLVED_COLUMN.WITH_SUGGESTION");
}

TEST(SchemaEdit, Renames) {
  EXPECT_EQ(Sql(RenameField(Schema(), {"l", "element", "e"}, "f")),
            "STRUCT<a: INT, s: STRUCT<x: INT, y: INT>, l: ARRAY<STRUCT<f: INT>>, m: MAP<INT, "
            "STRUCT<v: INT>>>");
  EXPECT_EQ(Sql(RenameField(Schema(), {"s", "x"}, "Y")), "FIELD_ALREADY_EXISTS");
  EXPECT_EQ(Sql(RenameField(Schema(), {"m", "key"}, "k")), "INVALID_FIELD_NAME");
}

TEST(SchemaEdit, Moves) {
  EXPECT_EQ(Sql(MoveField(Schema(), {"s", "y"}, {kFirst, ""})),
            "STRUCT<a: INT, s: STRUCT<y: INT, x: INT>, l: ARRAY<STRUCT<e: INT>>, m: MAP<INT, "
            "STRUCT<v: INT>>>");
  EXPECT_EQ(Sql(MoveField(Schema(), {"a"}, {kAfter, "A"})), Schema()->ToSql());
  EXPECT_EQ(Sql(MoveField(Schema(), {"a"}, {kAfter, "x"})), "UNRESOLVED_COLUMN.WITH_SUGGESTION");
}

TEST(SchemaEdit, EditsThePartsOfAMap) {
  const auto key = EditField(Schema(), {"m", "KEY"}, [](StructField& field) -> Status {
    EXPECT_FALSE(field.nullable);
    field.type = DataType::Primitive(TypeKind::kLong);
    return {};
  });
  EXPECT_EQ((*key)->FindField("m")->type->ToSql(), "MAP<BIGINT, STRUCT<v: INT>>");
}

TEST(SchemaEdit, PathsAreSpelledAsTheSchemaDoes) {
  EXPECT_EQ(*ResolvePath(*Schema(), {"M", "VALUE", "V"}), (ColumnPath{"m", "value", "v"}));
  EXPECT_EQ(PathText({"a", "b c", "d`e"}), "a.`b c`.`d``e`");
}

}  // namespace
}  // namespace weir::delta
