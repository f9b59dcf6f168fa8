// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <gtest/gtest.h>

namespace weir {
namespace {

std::string RoundTrip(std::string_view text) {
  auto value = JsonValue::Parse(text);
  return value ? value->ToString() : "error: " + value.error().message;
}

TEST(JsonValue, KeepsOrderAndNumberText) {
  const char* text =
      R"({"b":1E-18,"a":[12345678901234567890.123456789012345678,-0.0,true,null,"x"],"c":{}})";
  EXPECT_EQ(RoundTrip(text), text);
}

TEST(JsonValue, UnescapesAndEscapesStrings) {
  auto value = JsonValue::Parse(R"({"k":"a\u0001\"\\\n\u00e9"})");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->Find("k")->text(), "a\x01\"\\\n\xC3\xA9");
  EXPECT_EQ(value->ToString(), "{\"k\":\"a\\u0001\\\"\\\\\\n\xC3\xA9\"}");
}

TEST(JsonValue, ReadsScalarsAlone) {
  EXPECT_EQ(RoundTrip(" 17 "), "17");
  EXPECT_EQ(RoundTrip("\"s\""), "\"s\"");
  EXPECT_EQ(RoundTrip("null"), "null");
}

TEST(JsonValue, RefusesWhatIsNoJson) {
  for (const char* text : {"", "{", "[1,]", "{\"a\":1} x", "01", "nul", "[nul]", "[1 2]", "\"open",
                           "{\"a\"}", "[1]]", "{\"a\":01}", "[+1]"}) {
    auto value = JsonValue::Parse(text);
    EXPECT_FALSE(value) << text;
    if (!value) {
      EXPECT_EQ(value.error().name, "WEIR_JSON_PARSE_ERROR");
    }
  }
}

TEST(JsonValue, RefusesBottomlessNesting) {
  EXPECT_FALSE(JsonValue::Parse(std::string(100000, '[')));
  EXPECT_FALSE(JsonValue::Parse(std::string(100000, '[') + std::string(100000, ']')));
}

TEST(JsonValue, SetKeepsThePlaceOfAMember) {
  auto value = *JsonValue::Parse(R"({"a":1,"b":2})");
  value.Set("a", JsonValue::Int(9));
  value.Set("c", JsonValue::Bool(true));
  EXPECT_TRUE(value.Remove("b"));
  EXPECT_FALSE(value.Remove("b"));
  EXPECT_EQ(value.ToString(), R"({"a":9,"c":true})");
}

TEST(JsonValue, IntegersThatDoNotFitAreNone) {
  EXPECT_EQ(JsonValue::Parse("9223372036854775807")->AsInt64(), INT64_MAX);
  EXPECT_EQ(JsonValue::Parse("9223372036854775808")->AsInt64(), std::nullopt);
  EXPECT_EQ(JsonValue::Parse("1.0")->AsInt64(), std::nullopt);
}

TEST(JsonWriter, PlacesCommas) {
  std::string out;
  JsonWriter(out)
      .BeginObject()
      .Key("a")
      .Int(1)
      .Key("b")
      .BeginArray()
      .String("x")
      .Bool(false)
      .BeginObject()
      .EndObject()
      .Null()
      .EndArray()
      .Key("c")
      .Raw("{}")
      .EndObject();
  EXPECT_EQ(out, R"({"a":1,"b":["x",false,{},null],"c":{}})");
}

}  // namespace
}  // namespace weir
