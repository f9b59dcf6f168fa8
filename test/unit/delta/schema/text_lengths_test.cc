// SPDX-License-Identifier: Apache-2.0
#include "delta/schema/text_lengths.h"

#include <gtest/gtest.h>

namespace weir::delta {
namespace {

TypePtr String() { return DataType::Primitive(TypeKind::kString); }

StructField Named(std::string name, TypePtr type) {
  StructField field;
  field.name = std::move(name);
  field.type = std::move(type);
  return field;
}

TEST(TextLengthsTest, LengthsGoIntoTheMetadataAndComeBack) {
  const TypePtr declared = DataType::Struct(
      {Named("code", DataType::Text("char(2)")), Named("n", DataType::Decimal(10, 2)),
       Named("names", DataType::Array(DataType::Text("varchar(10)"), true)),
       Named("map", DataType::Map(DataType::Text("varchar(3)"), String(), true))});
  const StructField stored = WithStoredLengths(Named("s", declared));
  EXPECT_EQ(
      *stored.MetadataText("__CHAR_VARCHAR_TYPE_STRING"),
      "struct<code:char(2),n:decimal(10,2),names:array<varchar(10)>,map:map<varchar(3),string>>");
  EXPECT_FALSE(HasTextLengths(*stored.type));
  EXPECT_TRUE(DeclaredTypeOf(stored)->Equals(*declared));
}

TEST(TextLengthsTest, AColumnWithoutLengthsSaysNothing) {
  StructField field = Named("v", DataType::Text("varchar(3)"));
  field = WithStoredLengths(std::move(field));
  EXPECT_EQ(*field.MetadataText("__CHAR_VARCHAR_TYPE_STRING"), "varchar(3)");
  field.type = String();
  field = WithStoredLengths(std::move(field));
  EXPECT_EQ(field.MetadataText("__CHAR_VARCHAR_TYPE_STRING"), nullptr);
}

TEST(TextLengthsTest, ARenamedFieldIsKnownByItsPlace) {
  StructField field =
      Named("s", DataType::Struct({Named("fresh", String()), Named("b", String())}));
  field.metadata.Set("__CHAR_VARCHAR_TYPE_STRING",
                     JsonValue::String("struct<old:varchar(4),b:string>"));
  const TypePtr declared = DeclaredTypeOf(field);
  EXPECT_EQ(LengthOf(*declared->fields()[0].type)->characters, 4);
  EXPECT_FALSE(LengthOf(*declared->fields()[1].type));
}

TEST(TextLengthsTest, AFieldThatWasAddedTellsItsLengthItself) {
  StructField added = WithStoredLengths(Named("w", DataType::Text("char(1)")));
  StructField field = Named("s", DataType::Struct({Named("a", String()), added}));
  EXPECT_TRUE(LengthOf(*DeclaredTypeOf(field)->fields()[1].type)->is_padded);
}

TEST(TextLengthsTest, TextThatDoesNotFitTheTypeDeclaresNothing) {
  for (const char* text :
       {"", "int", "struct<", "struct<a:varchar(3)", "struct<a:varchar(3)>x", "array<varchar(3)>",
        "map<varchar(3)>", "struct<a:varchar(3),b:char(1)>", "struct<a:char(-1)>", "struct<a:(((>",
        "struct<a:char(99999999999999999999)>"}) {
    StructField field = Named("s", DataType::Struct({Named("a", String())}));
    field.metadata.Set("__CHAR_VARCHAR_TYPE_STRING", JsonValue::String(text));
    EXPECT_TRUE(DeclaredTypeOf(field)->Equals(*field.type)) << text;
  }
}

TEST(TextLengthsTest, ADeclarationLosesNothing) {
  StructField inner = Named("a", DataType::Text("char(2)"));
  inner.nullable = false;
  inner.metadata.Set("comment", JsonValue::String("it's \"quoted\""));
  const TypePtr type = DataType::Array(DataType::Struct({inner}), true);
  const std::string text = TypeDeclaration(type);
  EXPECT_TRUE(IsTypeDeclaration(text));
  EXPECT_FALSE(IsTypeDeclaration("STRUCT(a INTEGER)"));
  EXPECT_TRUE((*ParseTypeDeclaration(text))->Equals(*type));
  EXPECT_FALSE(ParseTypeDeclaration("{}"));
}

}  // namespace
}  // namespace weir::delta
