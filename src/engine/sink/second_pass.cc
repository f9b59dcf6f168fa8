// SPDX-License-Identifier: Apache-2.0
#include "engine/sink/second_pass.h"

#include <algorithm>
#include <utility>

#include "duckdb/main/client_context.hpp"
#include "duckdb/parallel/executor_task.hpp"
#include "duckdb/parallel/task_scheduler.hpp"
#include "duckdb/parallel/thread_context.hpp"

namespace weir::engine {
namespace {

class SecondPassTask final : public duckdb::ExecutorTask {
 public:
  SecondPassTask(duckdb::ClientContext& context, duckdb::shared_ptr<duckdb::Event> event,
                 const duckdb::PhysicalOperator& op, SecondPass& pass)
      : ExecutorTask(context, std::move(event), op), context_(context), pass_(pass) {}

  duckdb::TaskExecutionResult ExecuteTask(duckdb::TaskExecutionMode) override {
    duckdb::ExecutionContext execution(context_, *thread_context, nullptr);
    pass_.Run(execution);
    event->FinishTask();
    return duckdb::TaskExecutionResult::TASK_FINISHED;
  }
  duckdb::string TaskType() const override { return "WeirSecondPass"; }

 private:
  duckdb::ClientContext& context_;
  SecondPass& pass_;
};

}  // namespace

SecondPass::SecondPass(duckdb::Pipeline& pipeline, const duckdb::PhysicalOperator& op,
                       RowChangeState& state, std::vector<uint64_t> files)
    : BasePipelineEvent(pipeline), op_(op), state_(state), files_(std::move(files)) {
  std::vector<delta::AddFile> actions;
  for (uint64_t number : files_) actions.push_back(state_.FileOf(number));
  reader_ = std::make_unique<FileReader>(pipeline.GetClientContext(), state_.table(), actions,
                                         state_.layout().tracks_rows());
}

void SecondPass::Schedule() {
  auto& context = pipeline->GetClientContext();
  const auto threads =
      static_cast<size_t>(duckdb::TaskScheduler::GetScheduler(context).NumberOfThreads());
  const size_t count = std::max<size_t>(1, std::min(threads, reader_->MaxThreads()));
  duckdb::vector<duckdb::shared_ptr<duckdb::Task>> tasks;
  for (size_t i = 0; i < count; i++) {
    tasks.push_back(
        duckdb::make_shared_ptr<SecondPassTask>(context, shared_from_this(), op_, *this));
  }
  SetTasks(std::move(tasks));
}

void SecondPass::Run(duckdb::ExecutionContext& context) {
  auto local = state_.NewLocal(context);
  auto scan = reader_->NewLocal(context);
  duckdb::DataChunk rows;
  rows.Initialize(context.client, reader_->types());
  const size_t file_column = state_.layout().columns.size();
  while (reader_->Next(scan, rows)) {
    if (context.client.interrupted) throw duckdb::InterruptException();
    const uint64_t place = rows.GetValue(file_column, 0).GetValue<uint64_t>();
    rows.data[file_column].Reference(duckdb::Value::UBIGINT(files_[place]));
    state_.SinkOldRows(*local, rows);
  }
  state_.Combine(*local);
}

void SecondPass::FinishEvent() {
  reader_.reset();
  state_.Finish();
}

}  // namespace weir::engine
