// SPDX-License-Identifier: Apache-2.0
#include "engine/statement_splitter.h"

#include <gmock/gmock.h>

namespace weir::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(StatementSplitter, SplitsAtTopLevelSemicolonsOnly) {
  EXPECT_THAT(SplitSqlText("SELECT 1; ;SELECT 2 ;").statements,
              ElementsAre("SELECT 1", "SELECT 2"));
  EXPECT_THAT(SplitSqlText("SELECT ';', \"a;b\", `c;d`; x").statements,
              ElementsAre("SELECT ';', \"a;b\", `c;d`", "x"));
  EXPECT_THAT(SplitSqlText("SELECT 'it''s;'; x").statements, ElementsAre("SELECT 'it''s;'", "x"));
  EXPECT_THAT(SplitSqlText(R"(SELECT E'\';', 'a\'; x)").statements,
              ElementsAre(R"(SELECT E'\';', 'a\')", "x"));
  EXPECT_THAT(SplitSqlText("SELECT $$;$$, $q$ $$; $q$; x").statements,
              ElementsAre("SELECT $$;$$, $q$ $$; $q$", "x"));
  EXPECT_THAT(SplitSqlText("SELECT $1; x").statements, ElementsAre("SELECT $1", "x"));
}

TEST(StatementSplitter, KeepsCommentsInsideAndDropsTheRest) {
  EXPECT_THAT(SplitSqlText("-- a;b\nSELECT 1 /* ; /* ; */ ; */ + 1; -- end;").statements,
              ElementsAre("-- a;b\nSELECT 1 /* ; /* ; */ ; */ + 1"));
  EXPECT_THAT(SplitSqlText(" \n-- nothing\n/* at all */ ;").statements, IsEmpty());
}

TEST(StatementSplitter, KnowsWhetherTheTextIsComplete) {
  EXPECT_TRUE(SplitSqlText("").complete);
  EXPECT_TRUE(SplitSqlText("SELECT 1;").complete);
  EXPECT_TRUE(SplitSqlText("SELECT 1; -- done").complete);
  EXPECT_FALSE(SplitSqlText("SELECT 1").complete);
  EXPECT_FALSE(SplitSqlText("SELECT ';").complete);
  EXPECT_FALSE(SplitSqlText("SELECT 1; /* open").complete);
  EXPECT_THAT(SplitSqlText("SELECT 'open; x").statements, ElementsAre("SELECT 'open; x"));
}

}  // namespace
}  // namespace weir::engine
