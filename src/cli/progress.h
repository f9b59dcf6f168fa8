// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace weir::cli {

/// While it lives, shows on stderr how far a statement has come, from the second second on. Shows
/// nothing when stderr is no terminal. Clears its line at the end.
class ProgressDisplay {
 public:
  /// `percent` is called from a thread of the display's: 0 to 100, or negative while unknown.
  explicit ProgressDisplay(std::function<double()> percent);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  /// Whether there is a terminal to show it on.
  static bool IsUseful();

 private:
  void Run();

  std::function<double()> percent_;
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace weir::cli
