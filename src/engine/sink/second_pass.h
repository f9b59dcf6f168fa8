// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "duckdb/parallel/base_pipeline_event.hpp"

#include "engine/sink/file_reader.h"
#include "engine/sink/row_change_state.h"

namespace weir::engine {

/// Reads touched files again, on all threads, and hands their rows to the sink; then finishes the
/// statement. Runs as an event of DuckDB's between the end of the input and the first row of
/// output.
class SecondPass final : public duckdb::BasePipelineEvent {
 public:
  SecondPass(duckdb::Pipeline& pipeline, const duckdb::PhysicalOperator& op, RowChangeState& state,
             std::vector<uint64_t> files);

  void Schedule() override;
  void FinishEvent() override;

  /// Work of one thread: until no rows are left.
  void Run(duckdb::ExecutionContext& context);

 private:
  const duckdb::PhysicalOperator& op_;
  RowChangeState& state_;
  const std::vector<uint64_t> files_;  // numbers in the statement's scan, by place in the reader
  std::unique_ptr<FileReader> reader_;
};

}  // namespace weir::engine
