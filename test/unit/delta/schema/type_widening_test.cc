// SPDX-License-Identifier: Apache-2.0
#include "delta/schema/type_widening.h"

#include <gtest/gtest.h>

namespace weir::delta {
namespace {

TypePtr Named(const char* name) { return *ParsePrimitiveType(name); }

bool Supported(const char* from, const char* to) {
  return IsTypeChangeSupported(*Named(from), *Named(to));
}
bool UpCast(const char* from, const char* to) { return IsUpCast(*Named(from), *Named(to)); }

TEST(TypeWidening, WhatTheProtocolAllows) {
  for (auto [from, to] : {std::pair{"byte", "short"},
                          {"byte", "long"},
                          {"integer", "long"},
                          {"float", "double"},
                          {"byte", "double"},
                          {"integer", "double"},
                          {"date", "timestamp_ntz"},
                          {"decimal(10,2)", "decimal(12,2)"},
                          {"decimal(10,2)", "decimal(12,4)"},
                          {"byte", "decimal(10,0)"},
                          {"integer", "decimal(38,28)"},
                          {"long", "decimal(20,0)"}}) {
    EXPECT_TRUE(Supported(from, to)) << from << " to " << to;
    EXPECT_TRUE(UpCast(from, to)) << from << " to " << to;
  }
}

TEST(TypeWidening, WhatItDoesNot) {
  // The first are losses; of the others the values would do, but old files could not be read.
  for (auto [from, to] : {std::pair{"long", "integer"},
                          {"double", "float"},
                          {"decimal(10,2)", "decimal(11,4)"},
                          {"decimal(10,2)", "decimal(9,2)"},
                          {"long", "decimal(19,0)"},
                          {"integer", "decimal(9,0)"},
                          {"string", "integer"},
                          {"timestamp", "date"}}) {
    EXPECT_FALSE(Supported(from, to)) << from << " to " << to;
    EXPECT_FALSE(UpCast(from, to)) << from << " to " << to;
  }
  for (auto [from, to] : {std::pair{"long", "double"},
                          {"integer", "float"},
                          {"date", "timestamp"},
                          {"integer", "string"},
                          {"byte", "decimal(3,0)"},
                          {"timestamp", "timestamp_ntz"}}) {
    EXPECT_FALSE(Supported(from, to)) << from << " to " << to;
    EXPECT_TRUE(UpCast(from, to)) << from << " to " << to;
  }
}

TEST(TypeWidening, ChangesAreNotedAtTheNearestField) {
  const auto parse = [](const char* fields) {
    return *ParseSchema(std::string(R"({"type":"struct","fields":[)") + fields + "]}");
  };
  const TypePtr old = parse(
      R"({"name":"a","type":"byte","nullable":true,"metadata":{"delta.typeChanges":[{"fromType":"x","toType":"byte"}]}},)"
      R"({"name":"m","type":{"type":"map","keyType":"short","valueType":{"type":"array","elementType":{"type":"struct","fields":[)"
      R"({"name":"z","type":"float","nullable":true,"metadata":{}}]},"containsNull":true},"valueContainsNull":true},"nullable":true,"metadata":{}})");
  const TypePtr now = parse(
      R"({"name":"a","type":"long","nullable":true,"metadata":{"delta.typeChanges":[{"fromType":"x","toType":"byte"}]}},)"
      R"({"name":"m","type":{"type":"map","keyType":"integer","valueType":{"type":"array","elementType":{"type":"struct","fields":[)"
      R"({"name":"z","type":"double","nullable":true,"metadata":{}}]},"containsNull":true},"valueContainsNull":true},"nullable":true,"metadata":{}})");
  const TypePtr noted = RecordTypeChanges(now, *old, std::nullopt);
  EXPECT_EQ(noted->fields()[0].metadata.Find("delta.typeChanges")->ToString(),
            R"([{"fromType":"x","toType":"byte"},{"fromType":"byte","toType":"long"}])");
  const StructField& map = noted->fields()[1];
  EXPECT_EQ(map.metadata.Find("delta.typeChanges")->ToString(),
            R"([{"fromType":"short","toType":"integer","fieldPath":"key"}])");
  const StructField& inner = map.type->value()->element()->fields()[0];
  EXPECT_EQ(inner.metadata.Find("delta.typeChanges")->ToString(),
            R"([{"fromType":"float","toType":"double"}])");
  // The preview of the feature also says in which version.
  EXPECT_EQ(
      RecordTypeChanges(now, *old, 7)->fields()[1].metadata.Find("delta.typeChanges")->ToString(),
      R"([{"tableVersion":7,"fromType":"short","toType":"integer","fieldPath":"key"}])");
}

}  // namespace
}  // namespace weir::delta
