// SPDX-License-Identifier: Apache-2.0
#include "cli/run_progress.h"

#include <algorithm>
#include <array>

namespace weir::cli {
namespace {

using pipeline::FlowProgress;
using pipeline::FlowState;

/// 1234567 as "1,234,567".
std::string Grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string Seconds(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", seconds);
  return text.data();
}

std::string Padded(const std::string& text, size_t width, bool right) {
  const std::string fill(width > text.size() ? width - text.size() : 0, ' ');
  return right ? fill + text : text + fill;
}

std::string_view Name(FlowState state) {
  switch (state) {
    case FlowState::kQueued:
      return "queued";
    case FlowState::kRunning:
      return "running";
    case FlowState::kCompleted:
      return "done";
    case FlowState::kFailed:
      return "FAILED";
    case FlowState::kSkipped:
      return "SKIPPED";
    case FlowState::kExcluded:
      return "excluded";
    case FlowState::kStopped:
      return "stopped";
  }
  return "";
}

constexpr std::array<const char*, 9> kTitles = {"flow",    "state",        "batches",
                                                "files",   "rows in",      "upserted",
                                                "deleted", "dropped late", "seconds"};

std::array<std::string, 9> Cells(const FlowProgress& flow) {
  return {flow.flow,
          std::string(Name(flow.state)),
          Grouped(flow.batches),
          Grouped(flow.files),
          Grouped(flow.counts.rows_in),
          Grouped(flow.counts.upserted),
          Grouped(flow.counts.deleted),
          Grouped(flow.counts.dropped),
          Seconds(flow.seconds)};
}

void PrintTable(const std::vector<FlowProgress>& flows) {
  std::array<size_t, 9> widths{};
  for (size_t i = 0; i < kTitles.size(); ++i) widths[i] = std::string_view(kTitles[i]).size();
  for (const FlowProgress& flow : flows) {
    const auto cells = Cells(flow);
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  const auto print = [&](const auto& cells) {
    std::string line = " ";
    for (size_t i = 0; i < cells.size(); ++i)
      line += " " + Padded(cells[i], widths[i], i >= 2) + " ";
    std::fprintf(stderr, "%s\n", line.c_str());
  };
  print(kTitles);
  for (const FlowProgress& flow : flows) print(Cells(flow));
}

void PrintExpectations(const std::vector<FlowProgress>& flows) {
  for (const FlowProgress& flow : flows) {
    for (const pipeline::ExpectationCount& count : flow.counts.expectations) {
      const bool dropped = count.violation == pipeline::Violation::kDropRow;
      std::fprintf(stderr, "  %s: expectation %s: %s rows passed, %s failed%s\n",
                   count.dataset.c_str(), count.name.c_str(), Grouped(count.passed).c_str(),
                   Grouped(count.failed).c_str(),
                   dropped && count.failed > 0 ? " and were dropped" : "");
    }
  }
}

}  // namespace

void RunProgress::RunStarted(const std::string& run_id, const std::vector<FlowProgress>& flows) {
  if (quiet_) return;
  const size_t run = static_cast<size_t>(std::ranges::count_if(
      flows, [](const FlowProgress& flow) { return flow.state != FlowState::kExcluded; }));
  std::fprintf(stderr, "%s: %zu %s, run %s\n", pipeline_.c_str(), run, run == 1 ? "flow" : "flows",
               run_id.substr(0, 8).c_str());
}

void RunProgress::ShowLine(const FlowProgress& flow, bool last) {
  if (!on_terminal_) return;
  std::fprintf(stderr, "\r\x1b[K  %s: %s, %s rows in, %s upserted, %s deleted, %s s",
               flow.flow.c_str(), std::string(Name(flow.state)).c_str(),
               Grouped(flow.counts.rows_in).c_str(), Grouped(flow.counts.upserted).c_str(),
               Grouped(flow.counts.deleted).c_str(), Seconds(flow.seconds).c_str());
  if (last) std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

void RunProgress::FlowChanged(const FlowProgress& flow) {
  ShowLine(flow, flow.state != FlowState::kRunning);
}

void RunProgress::BatchFinished(const FlowProgress& flow, const pipeline::BatchReport&) {
  ShowLine(flow, false);
}

void RunProgress::RunFinished(const std::vector<FlowProgress>& flows, double seconds) {
  if (dry_run_) {
    std::fprintf(stderr, "%s: nothing to object to; nothing was run (%s s)\n", pipeline_.c_str(),
                 Seconds(seconds).c_str());
    return;
  }
  const bool idle = std::ranges::all_of(
      flows, [](const FlowProgress& flow) { return flow.batches == 0 && !flow.error; });
  if (quiet_ && idle) return;
  PrintTable(flows);
  PrintExpectations(flows);
  bool ok = true;
  for (const FlowProgress& flow : flows) {
    if (flow.state != FlowState::kFailed && flow.state != FlowState::kSkipped) continue;
    ok = false;
    std::fprintf(stderr, "%s: %s: %s\n", pipeline_.c_str(), flow.flow.c_str(),
                 flow.error ? flow.error->ToString().c_str() : "failed");
  }
  std::fprintf(stderr, "%s: %s in %s s\n", pipeline_.c_str(), ok ? "completed" : "FAILED",
               Seconds(seconds).c_str());
}

}  // namespace weir::cli
