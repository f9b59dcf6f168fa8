// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "cli/ticker.h"

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
  bool drawn_ = false;  ///< The ticker's, until that has ended.
  std::optional<Ticker> ticker_;
};

}  // namespace weir::cli
