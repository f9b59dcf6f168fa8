// SPDX-License-Identifier: Apache-2.0
#include "engine/sink/second_pass.h"

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "duckdb/main/client_context.hpp"

#include "engine/sink/file_reader.h"
#include "engine/sink/parallel_step.h"

namespace weir::engine {
namespace {

struct Reading {
  std::vector<uint64_t> numbers;  // files in the statement's scan, by place in the reader
  std::unique_ptr<FileReader> reader;
};

std::shared_ptr<Reading> OpenFiles(duckdb::ClientContext& context, RowChangeState& state,
                                   SecondPassPlan plan) {
  auto reading = std::make_shared<Reading>();
  std::vector<delta::AddFile> actions;
  FileReader::Limits limits;
  limits.unwanted = std::move(plan.unwanted);
  for (auto& file : plan.files) {
    reading->numbers.push_back(file.number);
    actions.push_back(state.FileOf(file.number));
    limits.rows.push_back(std::move(file.rows));
  }
  reading->reader = std::make_unique<FileReader>(context, state.table(), actions,
                                                 state.layout().tracks_rows(), std::move(limits));
  return reading;
}

// Work of one thread: until no rows are left.
void ReadOldRows(duckdb::ExecutionContext& context, RowChangeState& state, Reading& reading) {
  auto local = state.NewLocal(context);
  auto scan = reading.reader->NewLocal(context);
  duckdb::DataChunk rows;
  rows.InitializeEmpty(reading.reader->types());
  const size_t file_column = state.layout().columns.size();
  while (reading.reader->Next(scan, rows)) {
    if (context.client.interrupted) throw duckdb::InterruptException();
    const uint64_t place = rows.GetValue(file_column, 0).GetValue<uint64_t>();
    rows.data[file_column].Reference(duckdb::Value::UBIGINT(reading.numbers[place]));
    state.SinkOldRows(*local, rows);
  }
  state.Combine(*local);
}

void ReadFiles(duckdb::Pipeline& pipeline, duckdb::Event& event, const duckdb::PhysicalOperator& op,
               RowChangeState& state) {
  auto plan = state.PlanSecondPass();
  if (plan.files.empty()) {
    state.Finish();
    return;
  }
  auto reading = OpenFiles(pipeline.GetClientContext(), state, std::move(plan));
  event.InsertEvent(duckdb::make_shared_ptr<ParallelStep>(
      pipeline, op, reading->reader->MaxThreads(),
      [&state, reading](duckdb::ExecutionContext& context) {
        ReadOldRows(context, state, *reading);
      },
      [&state, reading](duckdb::Event&) {
        reading->reader.reset();
        state.Finish();
      }));
}

}  // namespace

void FinishWithSecondPass(duckdb::Pipeline& pipeline, duckdb::Event& event,
                          const duckdb::PhysicalOperator& op, RowChangeState& state) {
  state.pending().Seal();
  if (state.pending().empty()) return ReadFiles(pipeline, event, op, state);
  event.InsertEvent(duckdb::make_shared_ptr<ParallelStep>(
      pipeline, op, std::numeric_limits<size_t>::max(),
      [&state](duckdb::ExecutionContext&) { state.pending().MergeRuns(); },
      [&pipeline, &op, &state](duckdb::Event& done) {
        state.pending().Index();
        ReadFiles(pipeline, done, op, state);
      }));
}

}  // namespace weir::engine
