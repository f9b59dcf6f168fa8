// SPDX-License-Identifier: Apache-2.0
#include "pipeline/spec/sql_file.h"

#include <gtest/gtest.h>

namespace weir::pipeline {
namespace {

Definitions Parse(const std::string& sql) {
  Definitions definitions;
  const Status done = ParseSqlFile(sql, "f.sql", {}, definitions);
  EXPECT_TRUE(done) << done.error().ToString();
  return definitions;
}

std::string ErrorOf(const std::string& sql) {
  Definitions definitions;
  const Status done = ParseSqlFile(sql, "f.sql", {}, definitions);
  return done ? "" : done.error().name + ": " + done.error().message;
}

TEST(SqlFileTest, ReadsAStreamingTableAndItsFlow) {
  const Definitions read = Parse(R"(-- the guide's form
      CREATE STREAMING TABLE customers;
      CREATE FLOW customers_cdc AS AUTO CDC INTO customers
      FROM STREAM(cdc_events)
      KEYS (id)
      APPLY AS DELETE WHEN op = 'DELETE' AND (a OR b)
      SEQUENCE BY struct(ts, n)
      COLUMNS * EXCEPT (op, `odd name`);)");
  ASSERT_EQ(read.datasets.size(), 1u);
  ASSERT_EQ(read.flows.size(), 1u);
  const Flow& flow = read.flows[0];
  EXPECT_EQ(flow.name, "customers_cdc");
  EXPECT_EQ(flow.target.ToString(), "customers");
  EXPECT_EQ(flow.kind, FlowKind::kAutoCdc);
  EXPECT_EQ(flow.query, "SELECT * FROM STREAM(cdc_events)");
  EXPECT_EQ(flow.auto_cdc.keys, std::vector<std::string>{"id"});
  EXPECT_EQ(flow.auto_cdc.delete_when, "op = 'DELETE' AND (a OR b)");
  EXPECT_EQ(flow.auto_cdc.sequence_by, "struct(ts, n)");
  EXPECT_EQ(flow.auto_cdc.columns.kind, ColumnSelection::Kind::kExcept);
  EXPECT_EQ(flow.auto_cdc.columns.names, (std::vector<std::string>{"op", "odd name"}));
  EXPECT_EQ(flow.auto_cdc.scd_type, 1);
}

TEST(SqlFileTest, ReadsTheCombinedFormWithClausesInAnyOrder) {
  const Definitions read = Parse(
      "CREATE STREAMING TABLE IF NOT EXISTS s.t FLOW AUTO CDC FROM STREAM(src) KEYS (a, b) STORED "
      "AS SCD TYPE 2 "
      "COLUMNS (a, b, c) TRACK HISTORY ON * EXCEPT (c) SEQUENCE BY v");
  ASSERT_EQ(read.flows.size(), 1u);
  EXPECT_EQ(read.flows[0].name, "t");
  EXPECT_EQ(read.flows[0].target.ToString(), "s.t");
  EXPECT_EQ(read.flows[0].auto_cdc.scd_type, 2);
  EXPECT_EQ(read.flows[0].auto_cdc.track_history.kind, ColumnSelection::Kind::kExcept);
  EXPECT_EQ(read.flows[0].auto_cdc.sequence_by, "v");
}

TEST(SqlFileTest, ReadsAppendFlowsAndViews) {
  const Definitions read = Parse(R"(
      CREATE STREAMING TABLE all_orders (id INT NOT NULL COMMENT 'the key', amount DECIMAL(10,2),
        CONSTRAINT positive EXPECT (amount > 0) ON VIOLATION DROP ROW)
        COMMENT 'orders' PARTITIONED BY (id) TBLPROPERTIES ('a' = 'b', delta.appendOnly = true);
      CREATE FLOW east COMMENT 'from the east' AS INSERT INTO all_orders BY NAME SELECT * FROM STREAM(e);
      CREATE FLOW old AS INSERT INTO ONCE all_orders SELECT * FROM archive;
      CREATE OR REFRESH MATERIALIZED VIEW totals AS SELECT sum(amount) FROM all_orders;
      CREATE TEMPORARY VIEW v AS SELECT 1;)");
  ASSERT_EQ(read.datasets.size(), 3u);
  const Dataset& table = read.datasets[0];
  ASSERT_EQ(table.columns.size(), 2u);
  EXPECT_TRUE(table.columns[0].not_null);
  EXPECT_EQ(table.columns[0].comment, "the key");
  EXPECT_EQ(table.columns[1].type, "DECIMAL(10,2)");
  ASSERT_EQ(table.expectations.size(), 1u);
  EXPECT_EQ(table.expectations[0].condition, "amount > 0");
  EXPECT_EQ(table.expectations[0].violation, Violation::kDropRow);
  EXPECT_EQ(table.partition_columns, std::vector<std::string>{"id"});
  EXPECT_EQ(table.properties[1], (std::pair<std::string, std::string>{"delta.appendOnly", "true"}));
  ASSERT_EQ(read.flows.size(), 4u);
  EXPECT_EQ(read.flows[0].comment, "from the east");
  EXPECT_FALSE(read.flows[0].once);
  EXPECT_TRUE(read.flows[1].once);
  EXPECT_EQ(read.flows[2].kind, FlowKind::kRecompute);
  EXPECT_EQ(read.flows[3].kind, FlowKind::kView);
}

TEST(SqlFileTest, RefusesWithTheNameThatUsersSearchFor) {
  const std::string head = "CREATE FLOW f AS AUTO CDC INTO t FROM STREAM(s) ";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {head + "SEQUENCE BY v KEYS (id)", "PARSE_SYNTAX_ERROR"},
      {head + "KEYS (id)", "MISSING_CLAUSES_FOR_OPERATION"},
      {head + "KEYS () SEQUENCE BY v", "AUTOCDC_EMPTY_KEYS"},
      {head + "KEYS (s.id) SEQUENCE BY v", "AUTOCDC_MULTIPART_COLUMN_IDENTIFIER"},
      {head + "KEYS (id + 1) SEQUENCE BY v", "AUTOCDC_NON_COLUMN_IDENTIFIER"},
      {head + "KEYS (upper(id)) SEQUENCE BY v", "AUTOCDC_NON_COLUMN_IDENTIFIER"},
      {head + "KEYS (id) SEQUENCE BY v COLUMNS (s.id)", "AUTOCDC_MULTIPART_COLUMN_IDENTIFIER"},
      {head + "KEYS (id) SEQUENCE BY v STORED AS SCD TYPE 3", "PARSE_SYNTAX_ERROR"},
      {head + "KEYS (id) SEQUENCE BY v SEQUENCE BY w", "PARSE_SYNTAX_ERROR"},
      {head + "KEYS (id) SEQUENCE BY", "PARSE_SYNTAX_ERROR"},
      {"CREATE FLOW f AS AUTO CDC INTO t FROM s KEYS (id) SEQUENCE BY v", "PARSE_SYNTAX_ERROR"},
      {"CREATE FLOW a.b AS INSERT INTO t SELECT 1", "MULTIPART_FLOW_NAME_NOT_SUPPORTED"},
      {"CREATE STREAMING TABLE t (id INT) FLOW AUTO CDC FROM STREAM(s) KEYS (id) SEQUENCE BY v",
       "PIPELINE_SQL_GRAPH_ELEMENT_REGISTRATION_ERROR"},
      {"DROP TABLE t", "UNSUPPORTED_PIPELINE_SPARK_SQL_COMMAND"},
      {"CREATE TABLE t (a INT)", "UNSUPPORTED_PIPELINE_SPARK_SQL_COMMAND"},
      {"CREATE STREAMING TABLE t; 'x", "PARSE_SYNTAX_ERROR"},
      {"CREATE MATERIALIZED VIEW t", "PARSE_SYNTAX_ERROR"},
      {"CREATE MATERIALIZED VIEW t AS (SELECT 1", "PARSE_SYNTAX_ERROR"},
      {"/* open", "PARSE_SYNTAX_ERROR"}};
  for (const auto& [sql, name] : cases) {
    const std::string error = ErrorOf(sql);
    EXPECT_EQ(error.substr(0, error.find(':')), name) << sql << "\n" << error;
  }
}

TEST(SqlFileTest, MessagesNameFileAndLine) {
  EXPECT_NE(ErrorOf("CREATE STREAMING TABLE t;\n\nCREATE FLOW f AS AUTO CDC INTO t\nFROM "
                    "STREAM(s)\nKEYS (a.b)")
                .find("f.sql:5"),
            std::string::npos);
}

TEST(SqlFileTest, ReadsWhatDatabricksWroteBefore) {
  const Definitions read = Parse(R"(
      CREATE OR REFRESH STREAMING LIVE TABLE a AS SELECT * FROM cloud_files('in', 'json');
      CREATE TEMPORARY STREAMING LIVE VIEW b AS SELECT * FROM STREAM(LIVE.a);
      CREATE LIVE TABLE c AS SELECT 1;
      CREATE PRIVATE STREAMING TABLE d (id INT PRIMARY KEY RELY, CONSTRAINT k FOREIGN KEY (id) REFERENCES c (id),
        CONSTRAINT e EXPECT (id > 0)) CLUSTER BY AUTO;
      CREATE VIEW e AS SELECT 1;
      APPLY CHANGES INTO LIVE.d FROM STREAM(LIVE.a) KEYS (id) SEQUENCE BY v;)");
  std::vector<DatasetKind> kinds;
  for (const Dataset& dataset : read.datasets) kinds.push_back(dataset.kind);
  EXPECT_EQ(kinds,
            (std::vector<DatasetKind>{DatasetKind::kStreamingTable, DatasetKind::kTemporaryView,
                                      DatasetKind::kMaterializedView, DatasetKind::kStreamingTable,
                                      DatasetKind::kPersistedView}));
  ASSERT_EQ(read.datasets[3].columns.size(), 1u);
  EXPECT_EQ(read.datasets[3].columns[0].type, "INT");
  EXPECT_EQ(read.datasets[3].expectations.size(), 1u);
  EXPECT_EQ(read.flows.back().name, "d");
  EXPECT_EQ(read.flows.back().kind, FlowKind::kAutoCdc);
}

TEST(SqlFileTest, SetAndUse) {
  Definitions definitions;
  PipelineSpec spec;
  spec.configuration = {{"in", "events"}, {"kept", "x"}};
  const Status done = ParseSqlFile(
      "SET my.type = 'json'; USE CATALOG lake; USE SCHEMA default; USE lake.main;\n"
      "CREATE STREAMING TABLE t AS SELECT '${unknown}' FROM STREAM read_files('${in}', format => "
      "'${my.type}');\nSET in = other;\nCREATE TEMPORARY VIEW v AS SELECT '${ in }${kept}'",
      "f.sql", spec, definitions);
  ASSERT_TRUE(done) << done.error().ToString();
  EXPECT_EQ(definitions.flows[0].query,
            "SELECT '${unknown}' FROM STREAM read_files('events', format => 'json')");
  EXPECT_EQ(definitions.flows[1].query, "SELECT 'otherx'");
  EXPECT_EQ(definitions.flows[1].origin.line, 4);
  EXPECT_EQ(ErrorOf("USE other").substr(0, 38), "UNSUPPORTED_PIPELINE_SPARK_SQL_COMMAND");
  EXPECT_EQ(ErrorOf("USE CATALOG other").substr(0, 38), "UNSUPPORTED_PIPELINE_SPARK_SQL_COMMAND");
  EXPECT_EQ(ErrorOf("SET x").substr(0, 18), "PARSE_SYNTAX_ERROR");
  EXPECT_EQ(ErrorOf("SET x =").substr(0, 18), "PARSE_SYNTAX_ERROR");
}

TEST(SqlFileTest, ClausesThatChangeWhatATableIsAreRefused) {
  for (const char* sql :
       {"CREATE STREAMING TABLE t (a INT DEFAULT 1)",
        "CREATE STREAMING TABLE t (a INT GENERATED ALWAYS AS (1))",
        "CREATE STREAMING TABLE t (a STRING MASK f)",
        "CREATE MATERIALIZED VIEW t SCHEDULE EVERY 1 HOUR AS SELECT 1",
        "CREATE STREAMING TABLE t WITH ROW FILTER f ON (a) AS SELECT 1",
        "APPLY CHANGES INTO t FROM STREAM(s) KEYS (id) SEQUENCE BY v SYSTEM SEQUENCE BY w",
        "APPLY CHANGES INTO t FROM STREAM(s) KEYS (id) SEQUENCE BY v STORED AS BITEMPORAL"}) {
    EXPECT_EQ(ErrorOf(sql).substr(0, 19), "UNSUPPORTED_FEATURE") << sql;
  }
}

}  // namespace
}  // namespace weir::pipeline
