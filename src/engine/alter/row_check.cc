// SPDX-License-Identifier: Apache-2.0
#include "engine/alter/row_check.h"

#include <algorithm>
#include <atomic>
#include <map>

#include "duckdb/common/multi_file/multi_file_reader.hpp"
#include "duckdb/execution/execution_context.hpp"
#include "duckdb/execution/expression_executor.hpp"
#include "duckdb/parallel/task_executor.hpp"
#include "duckdb/parallel/task_scheduler.hpp"
#include "duckdb/parallel/thread_context.hpp"
#include "duckdb/planner/expression/bound_reference_expression.hpp"
#include "duckdb/planner/expression_iterator.hpp"

#include "engine/catalog/type_mapping.h"
#include "engine/duckdb_errors.h"
#include "engine/scan/table_scan.h"

namespace weir::engine {
namespace {

// One reading of the condition's columns; threads share it.
class RowCheck {
 public:
  RowCheck(duckdb::ClientContext& context, WeirTableEntry& table, duckdb::Expression& condition)
      : context_(context), condition_(condition) {
    function_ = MakeTableScan(context, table.state(), table.name, &table, bind_data_);
    function_.get_virtual_columns(context, bind_data_.get());
    TakeColumns(*table.state(), condition);
    if (columns_.empty()) {  // A condition without columns: rows still count.
      columns_.emplace_back(duckdb::MultiFileReader::COLUMN_IDENTIFIER_FILE_INDEX);
      types_.push_back(duckdb::LogicalType::UBIGINT);
    }
    duckdb::TableFunctionInitInput input(bind_data_.get(), columns_, {}, nullptr);
    global_ = function_.init_global(context, input);
  }

  size_t MaxThreads() const { return global_->MaxThreads(); }
  int64_t failed() const { return failed_; }

  void Run() {
    duckdb::ThreadContext thread(context_);
    duckdb::ExecutionContext execution(context_, thread, nullptr);
    duckdb::TableFunctionInitInput init(bind_data_.get(), columns_, {}, nullptr);
    const auto local = function_.init_local(execution, init, global_.get());
    duckdb::ExpressionExecutor executor(context_, condition_);
    duckdb::DataChunk rows;
    rows.Initialize(context_, types_);
    for (;;) {
      if (context_.interrupted) throw duckdb::InterruptException();
      rows.Reset();
      duckdb::TableFunctionInput input(bind_data_.get(), local.get(), global_.get());
      function_.function(context_, input, rows);
      if (rows.size() == 0) return;
      duckdb::SelectionVector passed(rows.size());
      failed_ += static_cast<int64_t>(rows.size() - executor.SelectExpression(rows, passed));
    }
  }

 private:
  // The condition counts the table's columns; rows hold only its own.
  void TakeColumns(const TableState& state, duckdb::Expression& expression) {
    if (expression.GetExpressionType() == duckdb::ExpressionType::BOUND_REF) {
      auto& reference = expression.Cast<duckdb::BoundReferenceExpression>();
      const auto [place, is_new] = places_.emplace(reference.index, columns_.size());
      if (is_new) {
        columns_.emplace_back(reference.index);
        types_.push_back(OrThrow(ToDuckDB(*state.schema()->fields()[reference.index].type)));
      }
      reference.index = place->second;
    }
    duckdb::ExpressionIterator::EnumerateChildren(
        expression, [&](duckdb::Expression& child) { TakeColumns(state, child); });
  }

  duckdb::ClientContext& context_;
  duckdb::Expression& condition_;
  duckdb::TableFunction function_{"", {}, nullptr};
  duckdb::unique_ptr<duckdb::FunctionData> bind_data_;
  std::map<duckdb::idx_t, duckdb::idx_t> places_;
  duckdb::vector<duckdb::ColumnIndex> columns_;
  duckdb::vector<duckdb::LogicalType> types_;
  duckdb::unique_ptr<duckdb::GlobalTableFunctionState> global_;
  std::atomic<int64_t> failed_ = 0;
};

class RowCheckTask final : public duckdb::BaseExecutorTask {
 public:
  RowCheckTask(duckdb::TaskExecutor& executor, RowCheck& check)
      : BaseExecutorTask(executor), check_(check) {}
  void ExecuteTask() override { check_.Run(); }

 private:
  RowCheck& check_;
};

}  // namespace

int64_t CountRowsFailing(duckdb::ClientContext& context, WeirTableEntry& table,
                         duckdb::unique_ptr<duckdb::Expression> condition) {
  RowCheck check(context, table, *condition);
  const auto threads =
      static_cast<size_t>(duckdb::TaskScheduler::GetScheduler(context).NumberOfThreads());
  duckdb::TaskExecutor executor(context);
  for (size_t i = 0; i < std::max<size_t>(1, std::min(threads, check.MaxThreads())); i++)
    executor.ScheduleTask(duckdb::make_uniq<RowCheckTask>(executor, check));
  executor.WorkOnTasks();
  return check.failed();
}

}  // namespace weir::engine
