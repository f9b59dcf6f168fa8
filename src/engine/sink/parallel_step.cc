// SPDX-License-Identifier: Apache-2.0
#include "engine/sink/parallel_step.h"

#include <algorithm>
#include <utility>

#include "duckdb/main/client_context.hpp"
#include "duckdb/parallel/executor_task.hpp"
#include "duckdb/parallel/task_scheduler.hpp"
#include "duckdb/parallel/thread_context.hpp"

namespace weir::engine {
namespace {

class StepTask final : public duckdb::ExecutorTask {
 public:
  StepTask(duckdb::ClientContext& context, duckdb::shared_ptr<duckdb::Event> event,
           const duckdb::PhysicalOperator& op, const ParallelStep::Work& work)
      : ExecutorTask(context, std::move(event), op), context_(context), work_(work) {}

  duckdb::TaskExecutionResult ExecuteTask(duckdb::TaskExecutionMode) override {
    duckdb::ExecutionContext execution(context_, *thread_context, nullptr);
    work_(execution);
    event->FinishTask();
    return duckdb::TaskExecutionResult::TASK_FINISHED;
  }
  duckdb::string TaskType() const override { return "WeirStep"; }

 private:
  duckdb::ClientContext& context_;
  const ParallelStep::Work& work_;
};

}  // namespace

ParallelStep::ParallelStep(duckdb::Pipeline& pipeline, const duckdb::PhysicalOperator& op,
                           size_t threads, Work work, Finish finish)
    : BasePipelineEvent(pipeline),
      op_(op),
      threads_(threads),
      work_(std::move(work)),
      finish_(std::move(finish)) {}

void ParallelStep::Schedule() {
  auto& context = pipeline->GetClientContext();
  const auto available =
      static_cast<size_t>(duckdb::TaskScheduler::GetScheduler(context).NumberOfThreads());
  const size_t count = std::max<size_t>(1, std::min(available, threads_));
  duckdb::vector<duckdb::shared_ptr<duckdb::Task>> tasks;
  for (size_t i = 0; i < count; i++) {
    tasks.push_back(duckdb::make_shared_ptr<StepTask>(context, shared_from_this(), op_, work_));
  }
  SetTasks(std::move(tasks));
}

void ParallelStep::FinishEvent() { finish_(*this); }

}  // namespace weir::engine
