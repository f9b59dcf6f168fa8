// SPDX-License-Identifier: Apache-2.0
#include "pipeline/runs/event_log.h"

#include <array>
#include <ctime>

#include "base/clock.h"
#include "base/json.h"

namespace weir::pipeline {
namespace {

std::string Timestamp(const char* format, bool with_millis) {
  const int64_t now = Clock::System().NowMillis();
  const std::time_t seconds = now / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  std::strftime(text.data(), text.size(), format, &parts);
  if (!with_millis) return text.data();
  const std::string millis = std::to_string(1000 + now % 1000).substr(1);
  return std::string(text.data()) + "." + millis + "Z";
}

void AddCounts(JsonValue& object, const BatchCounts& counts, int64_t files, double seconds) {
  object.Set("num_rows_in", JsonValue::Int(counts.rows_in));
  object.Set("num_upserted_rows", JsonValue::Int(counts.upserted));
  object.Set("num_deleted_rows", JsonValue::Int(counts.deleted));
  object.Set("num_dropped_rows", JsonValue::Int(counts.dropped));
  if (counts.unreadable > 0)
    object.Set("num_unreadable_records", JsonValue::Int(counts.unreadable));
  JsonValue expectations = JsonValue::Array();
  for (const ExpectationCount& count : counts.expectations) {
    expectations.items().push_back(
        JsonValue::Object({{"dataset", JsonValue::String(count.dataset)},
                           {"name", JsonValue::String(count.name)},
                           {"passed_records", JsonValue::Int(count.passed)},
                           {"failed_records", JsonValue::Int(count.failed)}}));
  }
  if (!expectations.items().empty()) object.Set("expectations", std::move(expectations));
  object.Set("num_files", JsonValue::Int(files));
  object.Set("duration_ms", JsonValue::Int(static_cast<int64_t>(seconds * 1000)));
}

JsonValue DescribeFlow(const FlowProgress& flow) {
  JsonValue object =
      JsonValue::Object({{"flow", JsonValue::String(flow.flow)},
                         {"table", JsonValue::String(flow.table)},
                         {"state", JsonValue::String(std::string(ToString(flow.state)))},
                         {"full_refresh", JsonValue::Bool(flow.full_refresh)}});
  if (flow.state == FlowState::kCompleted || flow.state == FlowState::kFailed) {
    AddCounts(object, flow.counts, flow.files, flow.seconds);
    object.Set("num_batches", JsonValue::Int(flow.batches));
  }
  if (flow.error) {
    object.Set("error", JsonValue::Object({{"name", JsonValue::String(flow.error->name)},
                                           {"message", JsonValue::String(flow.error->message)}}));
  }
  return object;
}

}  // namespace

void EventLog::Write(const std::string& event, const std::string& members) {
  std::string line;
  JsonWriter writer(line);
  writer.BeginObject();
  writer.Key("timestamp").String(Timestamp("%Y-%m-%dT%H:%M:%S", true));
  writer.Key("run_id").String(run_id_);
  writer.Key("event").String(event);
  writer.Key("details").Raw(members);
  writer.EndObject();
  line += '\n';
  if (out_.is_open()) {
    out_ << line << std::flush;
  } else {
    waiting_ += line;
  }
}

void EventLog::Open() {
  std::error_code failure;
  std::filesystem::create_directories(storage_ / "events", failure);
  file_ = storage_ / "events" /
          (Timestamp("%Y%m%dT%H%M%S", false) + "-" + run_id_.substr(0, 8) + ".jsonl");
  out_.open(file_, std::ios::app);
  out_ << waiting_ << std::flush;
  waiting_.clear();
}

void EventLog::RunStarted(const std::string& run_id, const std::vector<FlowProgress>& flows) {
  run_id_ = run_id;
  if (!only_busy_) Open();
  JsonValue list = JsonValue::Array();
  for (const FlowProgress& flow : flows) list.items().push_back(DescribeFlow(flow));
  Write("run_started", JsonValue::Object({{"flows", std::move(list)}}).ToString());
}

void EventLog::FlowChanged(const FlowProgress& flow) {
  if (flow.error && !out_.is_open()) Open();
  Write("flow_progress", DescribeFlow(flow).ToString());
}

void EventLog::BatchFinished(const FlowProgress& flow, const BatchReport& batch) {
  if (!out_.is_open()) Open();
  JsonValue object = JsonValue::Object({{"flow", JsonValue::String(flow.flow)},
                                        {"table", JsonValue::String(flow.table)},
                                        {"batch", JsonValue::Int(batch.batch)}});
  AddCounts(object, batch.counts, batch.files, batch.seconds);
  object.Set("backlog_files", JsonValue::Int(batch.backlog));
  Write("batch", object.ToString());
}

void EventLog::RunFinished(const std::vector<FlowProgress>& flows, double seconds) {
  bool ok = true;
  for (const FlowProgress& flow : flows) {
    ok = ok && flow.state != FlowState::kFailed && flow.state != FlowState::kSkipped;
  }
  Write("run_finished",
        JsonValue::Object({{"state", JsonValue::String(ok ? "COMPLETED" : "FAILED")},
                           {"duration_ms", JsonValue::Int(static_cast<int64_t>(seconds * 1000))}})
            .ToString());
}

}  // namespace weir::pipeline
