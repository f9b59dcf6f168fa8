// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

#include "duckdb/parallel/base_pipeline_event.hpp"

namespace weir::engine {

/// Work on several threads at the end of a sink, as an event of DuckDB's. Further steps go behind
/// it when it is finished.
class ParallelStep final : public duckdb::BasePipelineEvent {
 public:
  using Work = std::function<void(duckdb::ExecutionContext&)>;
  using Finish = std::function<void(duckdb::Event&)>;

  /// Each of at most `threads` tasks calls `work` once; behind the last of them `finish` is called
  /// once, with this event. Both may throw. `op` must outlive the event.
  ParallelStep(duckdb::Pipeline& pipeline, const duckdb::PhysicalOperator& op, size_t threads,
               Work work, Finish finish);

  void Schedule() override;
  void FinishEvent() override;

 private:
  const duckdb::PhysicalOperator& op_;
  const size_t threads_;
  const Work work_;
  const Finish finish_;
};

}  // namespace weir::engine
