// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weir {

/// The source of time, a seam so that tests and simulations can turn it. Implementations are
/// thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Milliseconds since 1970-01-01T00:00:00Z.
  virtual int64_t NowMillis() const = 0;

  /// The machine's clock; lives for the whole process.
  static const Clock& System();
};

/// A clock that stands where it is put. Thread-compatible.
class FixedClock final : public Clock {
 public:
  explicit FixedClock(int64_t now_ms) : now_ms_(now_ms) {}
  int64_t NowMillis() const override { return now_ms_; }
  void Set(int64_t now_ms) { now_ms_ = now_ms; }

 private:
  int64_t now_ms_;
};

}  // namespace weir
