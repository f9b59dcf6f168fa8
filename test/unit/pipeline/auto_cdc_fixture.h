// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "pipeline/flows/auto_cdc_tables.h"
#include "pipeline/flows/batch.h"
#include "pipeline/native_store.h"
#include "pipeline/spec/sql_file.h"

namespace weir::pipeline::testing {

/// One Auto CDC flow over a table `events` that each batch fills anew.
class AutoCdcTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto database = engine::Database::Open({});
    ASSERT_TRUE(database) << database.error().ToString();
    database_ = std::move(*database);
    auto session = database_->Connect();
    ASSERT_TRUE(session) << session.error().ToString();
    session_ = std::move(*session);
    Run("ATTACH ':memory:' AS lake; USE lake");
    store_ = std::make_unique<NativeStore>(*session_);
  }

  void Run(const std::string& sql) {
    const Status done = session_->Execute(sql);
    ASSERT_TRUE(done) << done.error().ToString() << "\n" << sql;
  }

  /// Declares the flow: the clauses behind FROM STREAM(events). `columns` are those of the events.
  void Declare(const std::string& clauses, const std::string& columns) {
    sql_ = "CREATE STREAMING TABLE target FLOW AUTO CDC FROM STREAM(events) " + clauses;
    columns_ = columns;
  }

  /// Applies the rows, given as VALUES text, as one batch.
  Result<BatchCounts> Apply(const std::string& rows) {
    WEIR_RETURN_IF_ERROR(
        session_->Execute("CREATE OR REPLACE TEMP TABLE events (" + columns_ + ")"));
    if (!rows.empty())
      WEIR_RETURN_IF_ERROR(session_->Execute("INSERT INTO temp.events VALUES " + rows));
    return ApplyLoaded(number_++);
  }

  Result<BatchCounts> ApplyLoaded(int64_t number) {
    Definitions definitions;
    WEIR_RETURN_IF_ERROR(ParseSqlFile(sql_, "test.sql", {}, definitions));
    PipelineSpec spec;
    WEIR_ASSIGN_OR_RETURN(const Graph graph, Graph::Build(definitions, spec, *session_));
    WEIR_RETURN_IF_ERROR(
        session_->Execute("CREATE OR REPLACE TEMP VIEW __weir_target_0 AS FROM temp.events"));
    WEIR_ASSIGN_OR_RETURN(const auto source, DescribeQuery(*session_, "SELECT * FROM temp.events"));
    WEIR_ASSIGN_OR_RETURN(AutoCdcPlan plan,
                          PlanAutoCdc(*session_, graph.flows()[0], graph.datasets()[0], source));
    const Dataset& declared = graph.datasets()[0].declared;
    WEIR_ASSIGN_OR_RETURN(const TableChanges changes,
                          CompareTables(*store_, plan, declared, reset_));
    WEIR_RETURN_IF_ERROR(ChangeTables(*store_, plan, declared, changes, reset_));
    reset_ = false;
    WEIR_ASSIGN_OR_RETURN(const int64_t rows_in, LoadBatch(*session_, plan, number));
    const BatchId batch{"test", number};
    WEIR_ASSIGN_OR_RETURN(BatchCounts counts, ApplyBatch(*session_, *store_, plan, batch));
    counts.rows_in = rows_in;
    return counts;
  }

  /// Applies a batch that must succeed.
  void Batch(const std::string& rows) {
    const auto counts = Apply(rows);
    ASSERT_TRUE(counts) << counts.error().ToString();
  }

  /// The name of the error that a batch meets; "" for none.
  std::string ErrorOf(const std::string& rows) {
    const auto counts = Apply(rows);
    return counts ? "" : counts.error().name;
  }

  /// The rows of a query as text, "a|b", NULL as "-".
  std::vector<std::string> Rows(const std::string& query) {
    std::vector<std::string> rows;
    auto result = session_->Query(query);
    EXPECT_TRUE(result) << result.error().ToString();
    if (!result) return rows;
    while (*(*result)->NextBatch()) {
      for (size_t row = 0; row < (*result)->batch_size(); ++row) {
        std::string line;
        for (size_t column = 0; column < (*result)->columns().size(); ++column) {
          line +=
              (column == 0 ? "" : "|") +
              ((*result)->IsNull(column, row) ? std::string("-") : (*result)->Text(column, row));
        }
        rows.push_back(std::move(line));
      }
    }
    return rows;
  }

  std::unique_ptr<engine::Database> database_;
  std::unique_ptr<engine::Session> session_;
  std::unique_ptr<NativeStore> store_;
  std::string sql_;
  std::string columns_;
  int64_t number_ = 0;
  bool reset_ = false;
};

}  // namespace weir::pipeline::testing
