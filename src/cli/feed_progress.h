// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "cli/ticker.h"
#include "feed/load/load.h"

namespace weir::cli {

/// Shows a load of the lake feed on stderr: a line for each table that is done, and, on a terminal
/// and from the second second on, one that is rewritten in place for the tables at work.
class FeedProgress final : public feed::LoadObserver {
 public:
  FeedProgress(size_t tables, bool on_terminal);
  ~FeedProgress() override;

  bool WantsPercent() const override { return on_terminal_; }
  void TableAt(const feed::UsedTable& table, std::string_view phase,
               std::function<double()> percent) override;
  void TableDone(const feed::TableReport& report) override;

 private:
  struct AtWork {
    std::string phase;
    std::function<double()> percent;
  };

  /// The line for the tables at work. With the lock held.
  std::string Line() const;

  const size_t tables_;
  const bool on_terminal_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  size_t done_ = 0;
  std::map<std::string, AtWork> at_work_;  ///< By the table's name.
  std::optional<Ticker> ticker_;
};

}  // namespace weir::cli
