// SPDX-License-Identifier: Apache-2.0
#include "cli/feed_progress.h"

#include <cstdio>
#include <utility>

#include "cli/output/text_width.h"

namespace weir::cli {
namespace {

constexpr std::chrono::milliseconds kQuietTime{1000};

void ShowTable(const feed::TableReport& report) {
  const std::string name = report.table->display();
  if (report.error) {
    std::fprintf(stderr, "%s  FAILED  %s\n", name.c_str(),
                 VisibleText(report.error->ToString()).c_str());
    return;
  }
  std::fprintf(
      stderr, "%s  %s  %lld rows: %lld I, %lld U, %lld D, %lld unchanged; %d file%s, %.1f s\n",
      name.c_str(), std::string(ToString(report.load_type)).c_str(),
      static_cast<long long>(report.rows_read), static_cast<long long>(report.counts.inserted),
      static_cast<long long>(report.counts.updated), static_cast<long long>(report.counts.deleted),
      static_cast<long long>(report.unchanged), report.file.empty() ? 0 : 1,
      report.file.empty() ? "s" : "", report.seconds);
}

}  // namespace

FeedProgress::FeedProgress(size_t tables, bool on_terminal)
    : tables_(tables), on_terminal_(on_terminal) {
  if (!on_terminal_) return;
  ticker_.emplace(kQuietTime, [this] {
    const std::lock_guard lock(mutex_);
    const std::string line = Line().substr(0, SizeOfTerminal().columns - 1);
    std::fprintf(stderr, "%s%s", kClearLine, line.c_str());
    std::fflush(stderr);
  });
}

FeedProgress::~FeedProgress() {
  ticker_.reset();
  if (on_terminal_) std::fputs(kClearLine, stderr);
}

void FeedProgress::TableAt(const feed::UsedTable& table, std::string_view phase,
                           std::function<double()> percent) {
  const std::lock_guard lock(mutex_);
  at_work_[table.display()] = {std::string(phase), std::move(percent)};
}

void FeedProgress::TableDone(const feed::TableReport& report) {
  const std::lock_guard lock(mutex_);
  at_work_.erase(report.table->display());
  ++done_;
  if (on_terminal_) std::fputs(kClearLine, stderr);
  ShowTable(report);
}

std::string FeedProgress::Line() const {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start_);
  std::string line = std::to_string(done_) + " of " + std::to_string(tables_) + " tables, " +
                     std::to_string(seconds.count()) + " s";
  for (const auto& [name, work] : at_work_) {
    line += "; " + name + " " + work.phase;
    const double percent = work.percent();
    if (percent >= 0) line += " " + std::to_string(static_cast<int>(percent)) + " %";
  }
  return line;
}

}  // namespace weir::cli
