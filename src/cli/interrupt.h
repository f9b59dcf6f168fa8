// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace weir::cli {

/// While it lives, Ctrl-C (SIGINT) calls `cancel` from a thread of its own, and a second Ctrl-C
/// ends the process with status 130. Outside of any scope SIGINT has the effect it had before.
/// Scopes do not nest. `cancel` must be thread-safe.
class InterruptScope {
 public:
  explicit InterruptScope(std::function<void()> cancel);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

}  // namespace weir::cli
