// SPDX-License-Identifier: Apache-2.0
#include "pipeline/graph/graph.h"

#include <gtest/gtest.h>

#include "pipeline/spec/sql_file.h"

namespace weir::pipeline {
namespace {

class GraphTest : public ::testing::Test {
 protected:
  void SetUp() override {
    database_ = std::move(*engine::Database::Open({}));
    session_ = std::move(*database_->Connect());
  }

  Result<Graph> Build(const std::string& sql) {
    Definitions definitions;
    WEIR_RETURN_IF_ERROR(ParseSqlFile(sql, "f.sql", {}, definitions));
    return Graph::Build(definitions, spec_, *session_);
  }

  std::string ErrorOf(const std::string& sql) {
    const auto graph = Build(sql);
    return graph ? "" : graph.error().name;
  }

  std::vector<std::string> Order(const Graph& graph) {
    std::vector<std::string> names;
    for (size_t at : graph.order()) names.push_back(graph.datasets()[at].short_name());
    return names;
  }

  PipelineSpec spec_;
  std::unique_ptr<engine::Database> database_;
  std::unique_ptr<engine::Session> session_;
};

constexpr const char* kClauses = " KEYS (id) SEQUENCE BY v";

TEST_F(GraphTest, OrdersBronzeSilverGold) {
  const auto graph = Build(std::string(R"(
      CREATE MATERIALIZED VIEW gold AS WITH bronze AS (SELECT 1) SELECT count(*) FROM MAIN.Silver, bronze;
      CREATE FLOW to_silver AS AUTO CDC INTO silver FROM STREAM(events))") +
                           kClauses + R"(;
      CREATE STREAMING TABLE silver;
      CREATE TEMPORARY VIEW events AS SELECT * FROM STREAM(bronze) WHERE id IN (SELECT id FROM other.known);
      CREATE STREAMING TABLE bronze AS SELECT * FROM STREAM read_files('in');)");
  ASSERT_TRUE(graph) << graph.error().ToString();
  EXPECT_EQ(Order(*graph), (std::vector<std::string>{"bronze", "events", "silver", "gold"}));
  for (const GraphFlow& flow : graph->flows()) {
    EXPECT_EQ(flow.streaming, flow.flow.target.last() != "gold") << flow.flow.name;
    if (flow.flow.name == "events") {
      ASSERT_EQ(flow.outside.size(), 1u);
      EXPECT_EQ(flow.outside[0].ToString(), "other.known");
    }
  }
}

TEST_F(GraphTest, FindsNamesAsQueriesSpellThem) {
  spec_.catalog = "lake";
  spec_.database = "sales";
  const auto graph = Build("CREATE STREAMING TABLE T AS SELECT * FROM STREAM 'x'");
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->datasets()[0].full_name.ToString(), "lake.sales.T");
  EXPECT_TRUE(graph->Find({{"t"}}));
  EXPECT_TRUE(graph->Find({{"SALES", "t"}}));
  EXPECT_TRUE(graph->Find({{"lake", "sales", "t"}}));
  EXPECT_FALSE(graph->Find({{"main", "t"}}));
}

TEST_F(GraphTest, RefusesWithTheNameThatUsersSearchFor) {
  const std::string table = "CREATE STREAMING TABLE t;";
  const std::string cdc = std::string(" AS AUTO CDC INTO t FROM STREAM 'in'") + kClauses + ";";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "RUN_EMPTY_PIPELINE"},
      {"CREATE TEMPORARY VIEW v AS SELECT 1", "RUN_EMPTY_PIPELINE"},
      {table, "PIPELINE_DATASET_WITHOUT_FLOW"},
      {table + "CREATE STREAMING TABLE T;", "PIPELINE_DUPLICATE_IDENTIFIERS.OUTPUT"},
      {table + "CREATE FLOW f" + cdc + "CREATE FLOW f AS INSERT INTO t SELECT * FROM STREAM 'x'",
       "PIPELINE_DUPLICATE_IDENTIFIERS.FLOW"},
      {table + "CREATE FLOW f" + cdc +
           "CREATE FLOW g AS AUTO CDC INTO t FROM STREAM 'in' KEYS (other) "
           "SEQUENCE BY v;",
       "AUTOCDC_MULTIPLE_FLOWS_TO_TARGET"},
      {table + "CREATE FLOW f" + cdc + "CREATE FLOW g AS INSERT INTO t SELECT * FROM STREAM 'in'",
       "AUTOCDC_MULTIPLE_FLOWS_TO_TARGET"},
      {"CREATE MATERIALIZED VIEW m AS SELECT 1; CREATE FLOW f" + cdc, "TABLE_OR_VIEW_NOT_FOUND"},
      {"CREATE MATERIALIZED VIEW t AS SELECT 1; CREATE FLOW f" + cdc,
       "INVALID_FLOW_QUERY_TYPE.AUTOCDC_RELATION_FOR_MATERIALIZED_VIEW"},
      {"CREATE TEMPORARY VIEW t AS SELECT 1; CREATE MATERIALIZED VIEW m AS SELECT 1; CREATE FLOW "
       "f" +
           cdc,
       "INVALID_FLOW_QUERY_TYPE.AUTOCDC_RELATION_FOR_TEMPORARY_VIEW"},
      {"CREATE MATERIALIZED VIEW t AS SELECT * FROM STREAM 'x'",
       "INVALID_FLOW_QUERY_TYPE.STREAMING_RELATION_FOR_MATERIALIZED_VIEW"},
      {"CREATE STREAMING TABLE t AS SELECT 1",
       "INVALID_FLOW_QUERY_TYPE.BATCH_RELATION_FOR_STREAMING_TABLE"},
      {table + "CREATE FLOW f AS INSERT INTO ONCE t SELECT * FROM STREAM 'x'",
       "INVALID_FLOW_QUERY_TYPE.STREAMING_RELATION_FOR_ONCE_FLOW"},
      {table +
           "CREATE TEMPORARY VIEW v AS SELECT 1 AS id, 2 AS v; CREATE FLOW f AS AUTO CDC INTO t "
           "FROM STREAM(v)" +
           kClauses,
       "INVALID_FLOW_QUERY_TYPE.BATCH_RELATION_FOR_STREAMING_TABLE"},
      {table + "CREATE FLOW f AS AUTO CDC INTO t FROM STREAM 'x'" + kClauses +
           " TRACK HISTORY ON (a)",
       "AUTOCDC_TRACK_HISTORY_REQUIRES_SCD2"},
      {table + "CREATE FLOW f AS AUTO CDC INTO t FROM STREAM(t)" + kClauses,
       "PIPELINE_GRAPH_NOT_TOPOLOGICALLY_SORTED"},
      {"CREATE MATERIALIZED VIEW a AS SELECT * FROM b; CREATE MATERIALIZED VIEW b AS SELECT * FROM "
       "a",
       "PIPELINE_GRAPH_NOT_TOPOLOGICALLY_SORTED"},
      {"CREATE MATERIALIZED VIEW a AS SELEC 1", "PARSE_SYNTAX_ERROR"},
      {"CREATE MATERIALIZED VIEW a AS DELETE FROM t", "PARSE_SYNTAX_ERROR"}};
  for (const auto& [sql, name] : cases) EXPECT_EQ(ErrorOf(sql), name) << sql;
}

TEST_F(GraphTest, NamesTheCycle) {
  const auto graph = Build(
      "CREATE MATERIALIZED VIEW a AS SELECT * FROM b; CREATE MATERIALIZED VIEW b AS SELECT * FROM "
      "a");
  ASSERT_FALSE(graph);
  EXPECT_NE(graph.error().message.find("a -> b -> a"), std::string::npos) << graph.error().message;
}

TEST_F(GraphTest, AViewForThePipelineReadsNoStream) {
  EXPECT_EQ(
      ErrorOf("CREATE STREAMING TABLE a AS SELECT * FROM STREAM read_files('in'); "
              "CREATE VIEW v AS SELECT * FROM a; CREATE LIVE TABLE m AS SELECT * FROM LIVE.v"),
      "");
  EXPECT_EQ(ErrorOf("CREATE STREAMING TABLE a AS SELECT * FROM STREAM read_files('in'); "
                    "CREATE VIEW v AS SELECT * FROM STREAM(a)"),
            "INVALID_FLOW_QUERY_TYPE.STREAMING_RELATION_FOR_PERSISTED_VIEW");
  EXPECT_EQ(ErrorOf("CREATE STREAMING TABLE a AS SELECT * FROM STREAM read_files('in'); "
                    "CREATE VIEW v AS SELECT * FROM a; "
                    "AUTO CDC INTO v FROM STREAM(a) KEYS (id) SEQUENCE BY v"),
            "PIPELINE_DUPLICATE_IDENTIFIERS.FLOW");
}

}  // namespace
}  // namespace weir::pipeline
