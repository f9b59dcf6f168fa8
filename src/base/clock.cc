// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <chrono>

namespace weir {
namespace {

class SystemClock final : public Clock {
 public:
  int64_t NowMillis() const override {
    using std::chrono::duration_cast;
    return duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
};

}  // namespace

const Clock& Clock::System() {
  static const SystemClock clock;
  return clock;
}

}  // namespace weir
