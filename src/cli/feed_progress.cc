// SPDX-License-Identifier: Apache-2.0
#include "cli/feed_progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace weir::cli {
namespace {

constexpr std::chrono::milliseconds kQuietTime{1000};
constexpr std::chrono::milliseconds kInterval{200};
constexpr const char* kClearLine = "\r\x1b[K";

size_t TerminalWidth() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1U : 79U;
}

void ShowTable(const feed::TableReport& report) {
  const std::string name = report.table->display();
  if (report.error) {
    std::fprintf(stderr, "%s  FAILED  %s\n", name.c_str(), report.error->ToString().c_str());
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
  if (on_terminal_) thread_ = std::thread([this] { Run(); });
}

FeedProgress::~FeedProgress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopping_.notify_one();
  thread_.join();
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

void FeedProgress::Run() {
  std::unique_lock lock(mutex_);
  auto wait = kQuietTime;
  while (!stopping_.wait_for(lock, wait, [this] { return stop_; })) {
    wait = kInterval;
    std::fprintf(stderr, "%s%s", kClearLine, Line().substr(0, TerminalWidth()).c_str());
    std::fflush(stderr);
  }
  std::fputs(kClearLine, stderr);
}

}  // namespace weir::cli
