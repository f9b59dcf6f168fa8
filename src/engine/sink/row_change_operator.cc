// SPDX-License-Identifier: Apache-2.0
#include "engine/sink/row_change_operator.h"

#include <utility>

#include "duckdb/parser/parsed_data/create_table_info.hpp"

#include "engine/sink/row_change_state.h"
#include "engine/sink/second_pass.h"

namespace weir::engine {
namespace {

class LocalState final : public duckdb::LocalSinkState {
 public:
  std::unique_ptr<RowChangeState::Local> local;
};

class SourceState final : public duckdb::GlobalSourceState {
 public:
  duckdb::ColumnDataScanState scan;
  bool is_done = false;
};

}  // namespace

RowChangeOperator::RowChangeOperator(duckdb::PhysicalPlan& plan,
                                     duckdb::vector<duckdb::LogicalType> types, RowChangeSpec spec,
                                     WeirTableEntry& table, duckdb::idx_t cardinality)
    : PhysicalOperator(plan, TYPE, std::move(types), cardinality),
      spec_(std::move(spec)),
      table_(&table) {}

RowChangeOperator::RowChangeOperator(duckdb::PhysicalPlan& plan,
                                     duckdb::vector<duckdb::LogicalType> types, RowChangeSpec spec,
                                     WeirSchemaEntry& schema,
                                     duckdb::unique_ptr<duckdb::BoundCreateTableInfo> create,
                                     duckdb::idx_t cardinality)
    : PhysicalOperator(plan, TYPE, std::move(types), cardinality),
      spec_(std::move(spec)),
      schema_(&schema),
      create_(std::move(create)) {}

duckdb::string RowChangeOperator::GetName() const {
  switch (spec_.kind) {
    case RowChangeSpec::Kind::kInsert:
      return "WEIR_INSERT";
    case RowChangeSpec::Kind::kCreateTableAs:
      return "WEIR_CREATE_TABLE_AS";
    case RowChangeSpec::Kind::kDelete:
      return "WEIR_DELETE";
    case RowChangeSpec::Kind::kUpdate:
      return "WEIR_UPDATE";
    case RowChangeSpec::Kind::kMerge:
      return "WEIR_MERGE";
  }
  return "WEIR_ROW_CHANGES";
}

duckdb::InsertionOrderPreservingMap<duckdb::string> RowChangeOperator::ParamsToString() const {
  duckdb::InsertionOrderPreservingMap<duckdb::string> params;
  params["Table"] = table_ ? table_->name : create_->Base().Cast<duckdb::CreateTableInfo>().table;
  return params;
}

duckdb::unique_ptr<duckdb::GlobalSinkState> RowChangeOperator::GetGlobalSinkState(
    duckdb::ClientContext& context) const {
  auto& table = table_ ? *table_ : schema_->CreateTableFrom(context, *create_, true);
  return duckdb::make_uniq<RowChangeState>(context, spec_, table, children[0].get().GetTypes(),
                                           types);
}

duckdb::unique_ptr<duckdb::LocalSinkState> RowChangeOperator::GetLocalSinkState(
    duckdb::ExecutionContext& context) const {
  auto state = duckdb::make_uniq<LocalState>();
  state->local = sink_state->Cast<RowChangeState>().NewLocal(context);
  return state;
}

duckdb::SinkResultType RowChangeOperator::Sink(duckdb::ExecutionContext&, duckdb::DataChunk& chunk,
                                               duckdb::OperatorSinkInput& input) const {
  input.global_state.Cast<RowChangeState>().Sink(*input.local_state.Cast<LocalState>().local,
                                                 chunk);
  return duckdb::SinkResultType::NEED_MORE_INPUT;
}

duckdb::SinkCombineResultType RowChangeOperator::Combine(
    duckdb::ExecutionContext&, duckdb::OperatorSinkCombineInput& input) const {
  input.global_state.Cast<RowChangeState>().Combine(*input.local_state.Cast<LocalState>().local);
  return duckdb::SinkCombineResultType::FINISHED;
}

duckdb::SinkFinalizeType RowChangeOperator::Finalize(
    duckdb::Pipeline& pipeline, duckdb::Event& event, duckdb::ClientContext&,
    duckdb::OperatorSinkFinalizeInput& input) const {
  FinishWithSecondPass(pipeline, event, *this, input.global_state.Cast<RowChangeState>());
  return duckdb::SinkFinalizeType::READY;
}

duckdb::unique_ptr<duckdb::GlobalSourceState> RowChangeOperator::GetGlobalSourceState(
    duckdb::ClientContext&) const {
  auto source = duckdb::make_uniq<SourceState>();
  if (auto* returned = sink_state->Cast<RowChangeState>().returned())
    returned->InitializeScan(source->scan);
  return source;
}

duckdb::SourceResultType RowChangeOperator::GetDataInternal(
    duckdb::ExecutionContext&, duckdb::DataChunk& chunk, duckdb::OperatorSourceInput& input) const {
  auto& state = sink_state->Cast<RowChangeState>();
  auto& source = input.global_state.Cast<SourceState>();
  if (auto* returned = state.returned()) {
    returned->Scan(source.scan, chunk);
    return chunk.size() == 0 ? duckdb::SourceResultType::FINISHED
                             : duckdb::SourceResultType::HAVE_MORE_OUTPUT;
  }
  chunk.SetValue(0, 0, duckdb::Value::BIGINT(state.changed_rows()));
  chunk.SetCardinality(1);
  return duckdb::SourceResultType::FINISHED;
}

}  // namespace weir::engine
