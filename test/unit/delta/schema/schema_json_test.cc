// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "delta/schema/types.h"

namespace weir::delta {
namespace {

std::string OneColumn(std::string_view type, std::string_view metadata = "{}") {
  return R"({"type":"struct","fields":[{"name":"c","type":)" + std::string(type) +
         R"(,"nullable":true,"metadata":)" + std::string(metadata) + "}]}";
}

std::string Quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

TEST(SchemaJson, WritesWhatSparkWrites) {
  StructField id;
  id.name = "id";
  id.type = DataType::Primitive(TypeKind::kLong);
  EXPECT_EQ(
      DataType::Struct({id})->ToJson(),
      R"({"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}}]})");
  EXPECT_EQ(DataType::Struct({})->ToJson(), R"({"type":"struct","fields":[]})");
}

TEST(SchemaJson, EveryTypeSurvivesTheRoundTrip) {
  std::vector<std::string> types;
  for (const char* name : {"boolean",
                           "byte",
                           "short",
                           "integer",
                           "long",
                           "float",
                           "double",
                           "string",
                           "binary",
                           "date",
                           "timestamp",
                           "timestamp_ntz",
                           "variant",
                           "void",
                           "decimal(1,0)",
                           "decimal(38,38)",
                           "decimal(10,2)",
                           "char(3)",
                           "varchar(255)",
                           "interval",
                           "interval year to month",
                           "interval day to second",
                           "interval second"}) {
    types.push_back(Quoted(name));
  }
  types.push_back(R"({"type":"array","elementType":"string","containsNull":false})");
  types.push_back(
      R"({"type":"map","keyType":"string","valueType":"long","valueContainsNull":true})");
  types.push_back(R"({"type":"struct","fields":[]})");
  types.push_back(
      R"({"type":"map","keyType":{"type":"struct","fields":[{"name":"a b","type":"date","nullable":false,"metadata":{"x":1}}]},"valueType":{"type":"array","elementType":{"type":"array","elementType":"void","containsNull":true},"containsNull":true},"valueContainsNull":false})");
  for (const auto& type : types) {
    auto schema = ParseSchema(OneColumn(type));
    ASSERT_TRUE(schema) << type << ": " << schema.error().message;
    EXPECT_EQ((*schema)->ToJson(), OneColumn(type));
    EXPECT_TRUE((*schema)->Equals(**ParseSchema((*schema)->ToJson())));
  }
}

TEST(SchemaJson, OtherNamesOfATypeAreReadAndWrittenAsTheirNewOne) {
  EXPECT_EQ((*ParsePrimitiveType("null"))->ToJson(), "\"void\"");
  EXPECT_EQ((*ParsePrimitiveType("timestamp_ltz"))->ToJson(), "\"timestamp\"");
  EXPECT_EQ((*ParsePrimitiveType("decimal"))->ToJson(), "\"decimal(10,0)\"");
  EXPECT_EQ((*ParsePrimitiveType("decimal( 10, 2 )"))->ToJson(), "\"decimal(10,2)\"");
}

TEST(SchemaJson, FieldMetadataSurvivesMemberForMember) {
  std::string metadata =
      R"({"z":1,"a":{"n":1E-18,"big":123456789012345678901234567890.10,"list":[null,true,-0.0]},)"
      R"x("delta.generationExpression":"CAST(`a\"b` AS DATE)","comment":"é 😀 \\ \n\t\b\f\u0001",)x"
      R"x("":"empty key","__CHAR_VARCHAR_TYPE_STRING":"varchar(10)"})x";
  auto schema = ParseSchema(OneColumn("\"string\"", metadata));
  ASSERT_TRUE(schema) << schema.error().message;
  EXPECT_EQ((*schema)->ToJson(), OneColumn("\"string\"", metadata));
}

TEST(SchemaJson, MembersMayComeInAnyOrderAndUnknownOnesAreSkipped) {
  auto schema = ParseSchema(
      R"({"fields":[{"metadata":{},"nullable":false,"future":[1],"type":"long","name":"id"}],"type":"struct"})");
  ASSERT_TRUE(schema);
  EXPECT_EQ(
      (*schema)->ToJson(),
      R"({"type":"struct","fields":[{"name":"id","type":"long","nullable":false,"metadata":{}}]})");
}

TEST(SchemaJson, AFieldWithoutMetadataHasAnEmptyOne) {
  auto schema =
      ParseSchema(R"({"type":"struct","fields":[{"name":"a","type":"long","nullable":true}]})");
  ASSERT_TRUE(schema);
  EXPECT_EQ((*schema)->fields()[0].metadata, JsonValue::Object());
}

TEST(SchemaJson, UnknownTypesAreNamedWithTheirColumn) {
  for (const char* type : {"\"geometry(OGC:CRS84)\"", "\"timestamp_nanos\"", "\"Long\"", "\"\"",
                           "\"decimal(x,y)\"", "\"char()\"", "\"varchar(0)\"",
                           R"({"type":"udt","class":"org.example.Point","sqlType":"long"})"}) {
    auto schema = ParseSchema(OneColumn(type));
    ASSERT_FALSE(schema) << type;
    EXPECT_EQ(schema.error().kind, ErrorKind::kUnsupportedFeature);
    EXPECT_EQ(schema.error().name, "DELTA_UNSUPPORTED_DATA_TYPE");
    EXPECT_NE(schema.error().message.find("column 'c'"), std::string::npos);
  }
}

TEST(SchemaJson, WhatIsNoSchemaIsCorrupt) {
  std::vector<std::string> broken = {
      "",
      "{",
      "null",
      "[]",
      "\"long\"",
      "{}",
      R"({"type":"long"})",
      R"({"type":"struct"})",
      R"({"type":"struct","fields":{}})",
      R"({"type":"struct","fields":[1]})",
      R"({"type":"struct","fields":[{"type":"long","nullable":true,"metadata":{}}]})",
      R"({"type":"struct","fields":[{"name":"a","nullable":true,"metadata":{}}]})",
      R"({"type":"struct","fields":[{"name":"a","type":"long","metadata":{}}]})",
      R"({"type":"struct","fields":[{"name":1,"type":"long","nullable":true,"metadata":{}}]})",
      R"({"type":"struct","fields":[{"name":"a","type":"long","nullable":"true","metadata":{}}]})",
      R"({"type":"struct","fields":[]} x)",
      OneColumn("7"),
      OneColumn("null"),
      OneColumn("\"long\"", "[]"),
      OneColumn("\"long\"", "null"),
      OneColumn("\"decimal(39,0)\""),
      OneColumn("\"decimal(5,6)\""),
      OneColumn("\"decimal(0,0)\""),
      OneColumn("\"decimal(5,-1)\""),
      OneColumn(R"({"type":"array","elementType":"long"})"),
      OneColumn(R"({"type":"array","containsNull":true})"),
      OneColumn(R"({"type":"map","keyType":"long","valueContainsNull":true})"),
  };
  for (const auto& text : broken) {
    auto schema = ParseSchema(text);
    ASSERT_FALSE(schema) << text;
    EXPECT_EQ(schema.error().kind, ErrorKind::kCorruptLog) << text;
    EXPECT_EQ(schema.error().name, "DELTA_SCHEMA_NOT_PARSABLE") << text;
  }
}

TEST(SchemaJson, TheErrorNamesThePlace) {
  auto schema = ParseSchema(OneColumn(
      R"({"type":"array","elementType":{"type":"struct","fields":[{"name":"x","type":7,"nullable":true}]},"containsNull":true})"));
  ASSERT_FALSE(schema);
  EXPECT_NE(schema.error().message.find("'c.element.x'"), std::string::npos)
      << schema.error().message;
}

TEST(SchemaJson, DepthIsBounded) {
  for (int depth : {100, 100'000}) {
    std::string type = "\"long\"";
    std::string open, close;
    for (int i = 0; i < depth; ++i) {
      open += R"({"type":"array","elementType":)";
      close += R"(,"containsNull":true})";
    }
    auto schema = ParseSchema(OneColumn(open + type + close));
    EXPECT_EQ(schema.has_value(), depth == 100);
  }
}

}  // namespace
}  // namespace weir::delta
