// SPDX-License-Identifier: Apache-2.0
#include "feed/config/feed_project.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "feed/config/project_template.h"
#include "storage/temporary_directory.h"

namespace weir::feed {
namespace {

using testing::HasSubstr;

constexpr const char* kTable = "{Source: S, Schema: dbo, Table: T, from: {csv: t.csv}, keys: [id]";

class FeedProjectTest : public testing::Test {
 protected:
  Result<FeedProject> Load(const std::string& text) {
    const std::filesystem::path file = std::filesystem::path(folder_.path()) / "feed.yml";
    std::ofstream(file) << text;
    return LoadProject(file);
  }

  // The name of the error of a project with these table entries.
  std::string ErrorOf(const std::string& tables) {
    const auto project = Load("tables: [" + tables + "]");
    return project ? "none" : project.error().name;
  }

  storage::TemporaryDirectory folder_;
};

TEST_F(FeedProjectTest, ReadsSettingsAndTables) {
  const auto project = Load(
      "settings: {LakeLocation: store, SchemaDL: READ}\n"
      "tables:\n"
      "- {source: Shop, schema: dbo, table: Orders, from: {query: SELECT 1 AS id}, keys: id,\n"
      "   loadtype: delta, delta: at, duplicates: last, dataplatform: 'DWH, DL'}\n");
  ASSERT_TRUE(project) << project.error().ToString();
  EXPECT_EQ(project->schema_lake, "LAKE");
  EXPECT_EQ(project->schema_dl, "READ");
  EXPECT_EQ(project->lake_location, std::string(folder_.path()) + "/store");
  const UsedTable& table = project->tables.at(0);
  EXPECT_EQ(table.id(), "Shop_dbo_Orders");
  EXPECT_EQ(table.load_type, LoadType::kDelta);
  EXPECT_TRUE(table.on_dwh && table.on_lake && !table.lake_only() && table.keep_last_duplicate);
}

TEST_F(FeedProjectTest, RefusesWhatItDoesNotKnow) {
  const std::string table = kTable;
  EXPECT_EQ(ErrorOf(table + "}"), "none");
  EXPECT_EQ(ErrorOf(table + ", kyes: [id]}"), "WEIR_FEED_CONFIG_UNKNOWN_KEY");
  EXPECT_EQ(ErrorOf(table + ", LoadType: SOMETIMES}"), "WEIR_FEED_LOAD_TYPE_UNKNOWN");
  EXPECT_EQ(ErrorOf(table + ", DataPlatform: LAKE}"), "WEIR_FEED_DATA_PLATFORM_UNKNOWN");
  EXPECT_EQ(ErrorOf(table + ", LoadType: DELTAIMAGE}"), "WEIR_FEED_CONFIG_MISSING_KEY");
  EXPECT_EQ(ErrorOf(table + ", delta_from: 1}"), "WEIR_FEED_CONFIG_MISSING_KEY");
  EXPECT_EQ(ErrorOf(table + ", duplicates: first}"), "WEIR_FEED_CONFIG_BAD_VALUE");
  EXPECT_EQ(ErrorOf("{Source: S, Schema: dbo, Table: T, from: {csv: t.csv}}"),
            "WEIR_FEED_CONFIG_MISSING_KEY");
  EXPECT_EQ(ErrorOf("{Source: S, Schema: dbo, Table: T, keys: [id]}"),
            "WEIR_FEED_CONFIG_MISSING_KEY");
  EXPECT_EQ(ErrorOf("{Source: S, Schema: a/b, Table: T, from: {csv: t.csv}, keys: [id]}"),
            "WEIR_FEED_BAD_NAME");
  EXPECT_EQ(Load("tables: {").error().name, "WEIR_FEED_CONFIG_NOT_YAML");
  for (const char* schema : {"''", "his", "LoadManagement"}) {
    const auto taken =
        Load("settings: {SchemaLAKE: " + std::string(schema) + "}\ntables: [" + table + "}]");
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().name, "WEIR_FEED_CONFIG_BAD_VALUE");
  }
}

TEST_F(FeedProjectTest, ASourceIsOneOfFilesQueryAndDatabase) {
  const auto source = [&](const std::string& from) {
    const auto project =
        Load("tables: [{Source: S, Schema: dbo, Table: T, keys: [id], from: " + from + "}]");
    if (project) return project->tables[0].from;
    TableSource failed;
    failed.text = project.error().name;
    return failed;
  };
  const TableSource table = source("{postgres: dbname=shop, table: public.orders}");
  EXPECT_EQ(table.kind, TableSource::Kind::kPostgres);
  EXPECT_EQ(table.text, "dbname=shop");
  EXPECT_EQ(table.table, "public.orders");
  const TableSource query = source("{sqlite: shop.db, query: SELECT 1 AS id}");
  EXPECT_EQ(query.text, std::string(folder_.path()) + "/shop.db");
  EXPECT_EQ(query.server_query, "SELECT 1 AS id");
  EXPECT_EQ(source("{query: SELECT 1 AS id}").text, "SELECT 1 AS id");
  for (const char* from :
       {"{mysql: host=x}", "{mysql: host=x, table: t, query: SELECT 1}", "{csv: t.csv, table: t}",
        "{csv: t.csv, json: t.json}", "{csv: t.csv, query: SELECT 1}", "{table: t}", "{csv: ''}",
        "{postgres: host=x, sqlite: x, table: t}", "{sqlite: x, table: t, options: {a: 1}}"})
    EXPECT_EQ(source(from).text, "WEIR_FEED_CONFIG_BAD_VALUE") << from;
  EXPECT_EQ(source("{oracle: host=x}").text, "WEIR_FEED_CONFIG_UNKNOWN_KEY");
}

TEST_F(FeedProjectTest, TwoTablesOfOneNameAreRefused) {
  const std::string table = kTable;
  EXPECT_EQ(ErrorOf(table + "}, " + table + "}"), "WEIR_FEED_DUPLICATE_TABLE");
  // Index and history may tell them apart, the read objects cannot.
  const std::string other =
      "{Source: S, Schema: web, Table: T, from: {csv: t.csv}, keys: [id], DataPlatform: DL}";
  EXPECT_EQ(ErrorOf(table + ", DataPlatform: DL}, " + other), "WEIR_FEED_DUPLICATE_TABLE");
  EXPECT_EQ(ErrorOf(table + ", DataPlatform: DWH}, " + other), "none");
}

TEST_F(FeedProjectTest, TablesAreSelectedByAnyOfTheirNames) {
  const auto project =
      Load(std::string("tables: [") + kTable +
           "}, {Source: S, Schema: web, Table: T, from: {csv: t.csv}, keys: [id]}]");
  ASSERT_TRUE(project);
  EXPECT_EQ(SelectTables(*project, {})->size(), 2U);
  EXPECT_EQ(SelectTables(*project, {"s_web_t"})->at(0)->schema, "web");
  EXPECT_EQ(SelectTables(*project, {"dbo.T", "S.dbo.T"})->size(), 1U);
  EXPECT_EQ(SelectTables(*project, {"T"}).error().name, "WEIR_FEED_TABLE_AMBIGUOUS");
  EXPECT_EQ(SelectTables(*project, {"X"}).error().name, "WEIR_FEED_TABLE_UNKNOWN");
}

TEST_F(FeedProjectTest, TheTemplateIsAProject) {
  ASSERT_TRUE(MakeFeedProject(folder_.path(), "shop"));
  const auto file = FindProject("", std::filesystem::path(folder_.path()) / "shop" / "data");
  ASSERT_TRUE(file) << file.error().ToString();
  const auto project = LoadProject(*file);
  ASSERT_TRUE(project) << project.error().ToString();
  EXPECT_TRUE(project->tables.at(0).lake_only());
  EXPECT_EQ(MakeFeedProject(folder_.path(), "shop").error().name, "WEIR_FEED_PROJECT_EXISTS");
}

}  // namespace
}  // namespace weir::feed
