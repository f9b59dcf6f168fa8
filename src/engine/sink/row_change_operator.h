// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "duckdb/execution/physical_operator.hpp"
#include "duckdb/planner/parsed_data/bound_create_table_info.hpp"

#include "engine/catalog/schema_entry.h"
#include "engine/catalog/table_entry.h"
#include "engine/sink/row_clause.h"

namespace weir::engine {

/// The one physical operator behind INSERT, CREATE TABLE AS, DELETE, UPDATE and MERGE: a sink for
/// the statement's input rows, and a source of the changed row count or the rows of RETURNING.
class RowChangeOperator final : public duckdb::PhysicalOperator {
 public:
  static constexpr const duckdb::PhysicalOperatorType TYPE =
      duckdb::PhysicalOperatorType::EXTENSION;

  /// Changes rows of `table`, which must outlive the plan.
  RowChangeOperator(duckdb::PhysicalPlan& plan, duckdb::vector<duckdb::LogicalType> types,
                    RowChangeSpec spec, WeirTableEntry& table, duckdb::idx_t cardinality);
  /// Creates a table in `schema` when it starts, then fills it.
  RowChangeOperator(duckdb::PhysicalPlan& plan, duckdb::vector<duckdb::LogicalType> types,
                    RowChangeSpec spec, WeirSchemaEntry& schema,
                    duckdb::unique_ptr<duckdb::BoundCreateTableInfo> create,
                    duckdb::idx_t cardinality);

  duckdb::string GetName() const override;
  duckdb::InsertionOrderPreservingMap<duckdb::string> ParamsToString() const override;

  bool IsSink() const override { return true; }
  bool ParallelSink() const override { return true; }
  duckdb::unique_ptr<duckdb::GlobalSinkState> GetGlobalSinkState(
      duckdb::ClientContext& context) const override;
  duckdb::unique_ptr<duckdb::LocalSinkState> GetLocalSinkState(
      duckdb::ExecutionContext& context) const override;
  duckdb::SinkResultType Sink(duckdb::ExecutionContext& context, duckdb::DataChunk& chunk,
                              duckdb::OperatorSinkInput& input) const override;
  duckdb::SinkCombineResultType Combine(duckdb::ExecutionContext& context,
                                        duckdb::OperatorSinkCombineInput& input) const override;
  duckdb::SinkFinalizeType Finalize(duckdb::Pipeline& pipeline, duckdb::Event& event,
                                    duckdb::ClientContext& context,
                                    duckdb::OperatorSinkFinalizeInput& input) const override;

  bool IsSource() const override { return true; }
  duckdb::unique_ptr<duckdb::GlobalSourceState> GetGlobalSourceState(
      duckdb::ClientContext& context) const override;

 protected:
  duckdb::SourceResultType GetDataInternal(duckdb::ExecutionContext& context,
                                           duckdb::DataChunk& chunk,
                                           duckdb::OperatorSourceInput& input) const override;

 private:
  const RowChangeSpec spec_;
  WeirTableEntry* const table_ = nullptr;
  WeirSchemaEntry* const schema_ = nullptr;
  duckdb::unique_ptr<duckdb::BoundCreateTableInfo> create_;
};

}  // namespace weir::engine
