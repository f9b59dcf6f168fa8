// SPDX-License-Identifier: Apache-2.0
#include "engine/sink/row_counter.h"

#include <algorithm>
#include <utility>

#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/execution/operator/scan/physical_table_scan.hpp"

namespace weir::engine {
namespace {

using duckdb::PhysicalOperator;

class RowCounter final : public PhysicalOperator {
 public:
  RowCounter(duckdb::PhysicalPlan& plan, duckdb::vector<duckdb::LogicalType> types,
             duckdb::idx_t cardinality, std::shared_ptr<std::atomic<int64_t>> count)
      : PhysicalOperator(plan, duckdb::PhysicalOperatorType::EXTENSION, std::move(types),
                         cardinality),
        count_(std::move(count)) {}

  duckdb::string GetName() const override { return "WEIR_SOURCE_ROWS"; }
  bool ParallelOperator() const override { return true; }
  duckdb::OrderPreservationType OperatorOrder() const override {
    return duckdb::OrderPreservationType::NO_ORDER;
  }
  // Before any pipeline starts: the sink's state may be made while the source already runs, and a
  // prepared statement counts anew.
  void BuildPipelines(duckdb::Pipeline& current, duckdb::MetaPipeline& meta_pipeline) override {
    *count_ = 0;
    PhysicalOperator::BuildPipelines(current, meta_pipeline);
  }
  duckdb::OperatorResultType Execute(duckdb::ExecutionContext&, duckdb::DataChunk& input,
                                     duckdb::DataChunk& chunk, duckdb::GlobalOperatorState&,
                                     duckdb::OperatorState&) const override {
    *count_ += static_cast<int64_t>(input.size());
    chunk.Reference(input);
    return duckdb::OperatorResultType::NEED_MORE_INPUT;
  }

 private:
  const std::shared_ptr<std::atomic<int64_t>> count_;
};

// The scan of the target is the one that tells the rows' places.
bool ScansTarget(const PhysicalOperator& plan) {
  if (plan.type == duckdb::PhysicalOperatorType::TABLE_SCAN) {
    const auto& columns = plan.Cast<duckdb::PhysicalTableScan>().column_ids;
    return std::any_of(columns.begin(), columns.end(), [](const duckdb::ColumnIndex& column) {
      return column.GetPrimaryIndex() == duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_ROW_NUMBER;
    });
  }
  for (const auto& child : plan.children) {
    if (ScansTarget(child.get())) return true;
  }
  return false;
}

}  // namespace

std::shared_ptr<std::atomic<int64_t>> CountSourceRows(duckdb::PhysicalPlanGenerator& planner,
                                                      PhysicalOperator& plan) {
  auto* place = &plan;
  while (place->children.size() == 1) place = &place->children[0].get();
  if (place->children.size() != 2) return nullptr;
  for (size_t i = 0; i < 2; i++) {
    auto& child = place->children[i].get();
    if (ScansTarget(child) || !ScansTarget(place->children[1 - i].get())) continue;
    auto count = std::make_shared<std::atomic<int64_t>>(0);
    auto& counter = planner.Make<RowCounter>(child.types, child.estimated_cardinality, count);
    counter.children.push_back(child);
    place->children[i] = counter;
    return count;
  }
  return nullptr;
}

}  // namespace weir::engine
