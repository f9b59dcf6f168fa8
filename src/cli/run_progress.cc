// SPDX-License-Identifier: Apache-2.0
#include "cli/run_progress.h"

#include <algorithm>
#include <array>

#include "cli/output/text_width.h"

namespace weir::cli {
namespace {

using pipeline::FlowProgress;
using pipeline::FlowState;

constexpr std::chrono::milliseconds kTickQuiet{200};

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
    if (flow.counts.unreadable > 0) {
      std::fprintf(stderr, "  %s: %s records could not be read and were kept aside\n",
                   flow.flow.c_str(), Grouped(flow.counts.unreadable).c_str());
    }
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
  queued_ = run;
  if (!on_terminal_ || dry_run_) return;
  ticker_.emplace(kTickQuiet, [this] {
    const std::lock_guard guard(mutex_);
    Redraw();
  });
}

std::string RunProgress::Line(const AtWork& work) {
  const pipeline::BatchCounts& counts = work.flow.counts;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - work.since).count();
  std::string line = "  " + work.flow.flow + ": " + Grouped(work.flow.batches) + " batches, " +
                     Grouped(work.flow.files) + " files, " + Grouped(counts.rows_in) +
                     " rows in, " + Grouped(counts.upserted) + " upserted, " +
                     Grouped(counts.deleted) + " deleted";
  if (counts.dropped > 0) line += ", " + Grouped(counts.dropped) + " late";
  if (work.backlog > 0) line += ", " + Grouped(work.backlog) + " files wait";
  return line + ", " + Seconds(seconds) + " s";
}

void RunProgress::Redraw() {
  if (!on_terminal_) return;
  const TerminalSize size = SizeOfTerminal();
  const size_t width = size.columns - 1;
  const size_t height = size.rows - 2;
  std::string text = drawn_ == 0 ? "" : "\x1b[" + std::to_string(drawn_) + "A";
  text += "\r\x1b[J";
  drawn_ = 0;
  for (const auto& [name, work] : at_work_) {
    if (drawn_ + 1 >= height) break;
    text += Line(work).substr(0, width) + "\n";
    ++drawn_;
  }
  if (queued_ > 0 && !at_work_.empty()) {
    text += "  " + Grouped(static_cast<int64_t>(queued_)) + " more to run\n";
    ++drawn_;
  }
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

void RunProgress::FlowChanged(const FlowProgress& flow) {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (flow.state == FlowState::kRunning) {
    at_work_[flow.flow] = {flow, 0, std::chrono::steady_clock::now()};
  } else {
    at_work_.erase(flow.flow);
  }
  const bool ran = flow.state == FlowState::kCompleted || flow.state == FlowState::kFailed;
  if (!ran && queued_ > 0) --queued_;
  Redraw();
}

void RunProgress::BatchFinished(const FlowProgress& flow, const pipeline::BatchReport& batch) {
  const std::lock_guard<std::mutex> guard(mutex_);
  AtWork& work = at_work_[flow.flow];
  work.flow = flow;
  work.backlog = batch.backlog;
  Redraw();
}

void RunProgress::RunFinished(const std::vector<FlowProgress>& flows, double seconds) {
  ticker_.reset();
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
                 flow.error ? VisibleText(flow.error->ToString()).c_str() : "failed");
  }
  std::fprintf(stderr, "%s: %s in %s s\n", pipeline_.c_str(), ok ? "completed" : "FAILED",
               Seconds(seconds).c_str());
}

}  // namespace weir::cli
