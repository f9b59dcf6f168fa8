// SPDX-License-Identifier: Apache-2.0
#include "feed/views/dialect.h"

#include <gmock/gmock.h>

namespace weir::feed {
namespace {

using testing::HasSubstr;

TEST(DialectTest, TheWidestTypeHoldsAllValues) {
  EXPECT_EQ(WidestType({"BLOB", "BLOB"}), "BLOB");
  EXPECT_EQ(WidestType({"SMALLINT", "BIGINT", "INTEGER"}), "BIGINT");
  EXPECT_EQ(WidestType({"TINYINT", "SMALLINT"}), "SMALLINT");
  EXPECT_EQ(WidestType({"DECIMAL(9,2)", "DECIMAL(12,4)"}), "DECIMAL(12,4)");
  EXPECT_EQ(WidestType({"DECIMAL(9,2)", "DECIMAL(10,4)"}), "DECIMAL(11,4)");
  EXPECT_EQ(WidestType({"INTEGER", "DECIMAL(9,2)"}), "DECIMAL(12,2)");
  EXPECT_EQ(WidestType({"DECIMAL(38,0)", "DECIMAL(9,2)"}), "DOUBLE");
  EXPECT_EQ(WidestType({"INTEGER", "FLOAT"}), "DOUBLE");
  EXPECT_EQ(WidestType({"DATE", "TIMESTAMP"}), "TIMESTAMP");
  EXPECT_EQ(WidestType({"INTEGER", "VARCHAR"}), "VARCHAR");
  EXPECT_EQ(WidestType({"STRUCT(a INTEGER)", "STRUCT(a BIGINT)"}), "VARCHAR");
}

TEST(DialectTest, EachEngineGetsItsOwnSpellingOfALocation) {
  UsedTable table;
  table.source = "Shop";
  table.schema = "dbo";
  table.table = "T";
  const Generation generation{1, {{"id", "INTEGER"}, {"name", "VARCHAR"}}};
  const auto files = [&](const std::string& location, Dialect dialect) {
    FeedProject project;
    project.lake_location = location;
    return ReadFiles(project, table, generation, dialect).from;
  };
  const std::string azure = "abfss://lake@acme.dfs.core.windows.net/feeds";
  EXPECT_THAT(files(azure, Dialect::kSpark), HasSubstr("`" + azure + "/lake/Shop/dbo/T/Year=*/"));
  EXPECT_THAT(files(azure, Dialect::kFabric),
              HasSubstr("'https://acme.dfs.core.windows.net/lake/feeds/lake/Shop/dbo/T/Year=*/"));
  EXPECT_THAT(files(azure, Dialect::kTSql), HasSubstr("BULK 'lake/Shop/dbo/T/Year=*/"));
  EXPECT_THAT(files("s3://bucket/x", Dialect::kSpark), HasSubstr("`s3a://bucket/x/lake/"));
  EXPECT_THAT(files("s3://bucket/x", Dialect::kDuckDB), HasSubstr("'s3://bucket/x/lake/"));
  FeedProject project;
  project.lake_location = azure;
  EXPECT_EQ(ExternalLocation(project), "adls://lake@acme.dfs.core.windows.net/feeds");
}

}  // namespace
}  // namespace weir::feed
