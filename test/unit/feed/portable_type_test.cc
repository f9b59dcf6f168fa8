// SPDX-License-Identifier: Apache-2.0
#include "feed/load/portable_type.h"

#include <gtest/gtest.h>

namespace weir::feed {
namespace {

TEST(PortableTypeTest, KnownTypesStay) {
  for (const char* type :
       {"INTEGER", "DECIMAL(18,3)", "TIMESTAMP WITH TIME ZONE", "VARCHAR[]", "BLOB",
        "STRUCT(a INTEGER, \"b c\" VARCHAR[])", "MAP(VARCHAR, DECIMAL(9,2))", "STRUCT(a DOUBLE)[]"})
    EXPECT_EQ(PortableType(type), type);
}

TEST(PortableTypeTest, OthersBecomeTypesThatEveryReaderKnows) {
  EXPECT_EQ(PortableType("UTINYINT"), "SMALLINT");
  EXPECT_EQ(PortableType("UBIGINT"), "DECIMAL(20,0)");
  EXPECT_EQ(PortableType("TIMESTAMP_NS"), "TIMESTAMP");
  EXPECT_EQ(PortableType("TIME WITH TIME ZONE"), "VARCHAR");
  EXPECT_EQ(PortableType("ENUM('a', 'it''s, (b)')"), "VARCHAR");
  EXPECT_EQ(PortableType("UNION(num INTEGER, s STRUCT(x UUID))"), "VARCHAR");
  EXPECT_EQ(PortableType("\"NULL\""), "VARCHAR");
}

TEST(PortableTypeTest, AlsoInsideOfNestedTypes) {
  EXPECT_EQ(PortableType("UUID[]"), "VARCHAR[]");
  EXPECT_EQ(PortableType("ENUM('a)', 'b')[]"), "VARCHAR[]");
  EXPECT_EQ(PortableType("INTEGER[3]"), "INTEGER[]");
  EXPECT_EQ(
      PortableType("STRUCT(\"TIME\" TIME, UUID UUID, \"a (b\" UTINYINT[], c TIME WITH TIME ZONE)"),
      "STRUCT(\"TIME\" VARCHAR, UUID VARCHAR, \"a (b\" SMALLINT[], c VARCHAR)");
  EXPECT_EQ(PortableType("MAP(UUID, STRUCT(n HUGEINT)[])[]"),
            "MAP(VARCHAR, STRUCT(n DECIMAL(38,0))[])[]");
}

TEST(PortableTypeTest, WhatIsNoTypeEnds) {
  for (const char* text : {"", "(", "STRUCT(", "STRUCT(a", "MAP(,", "X[", "'", "STRUCT(\"a"})
    PortableType(text);
}

}  // namespace
}  // namespace weir::feed
