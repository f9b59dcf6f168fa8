// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "delta/statistics/predicate.h"

namespace weir::engine {

/// Which parts of a table one transaction's scans have read, for conflict detection at commit. A
/// scan counts as one of the whole table until a condition is known. Thread-safe.
class ReadLog {
 public:
  /// Enters a scan and returns its number.
  size_t Add(delta::PredicatePtr condition = nullptr) {
    std::lock_guard lock(mutex_);
    conditions_.push_back(std::move(condition));
    return conditions_.size() - 1;
  }

  /// The scan `number` reads only rows for which `condition` is true.
  void Refine(size_t number, delta::PredicatePtr condition) {
    std::lock_guard lock(mutex_);
    conditions_[number] = std::move(condition);
  }

  /// One per scan; null: the whole table.
  std::vector<delta::PredicatePtr> conditions() const {
    std::lock_guard lock(mutex_);
    return conditions_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<delta::PredicatePtr> conditions_;
};

}  // namespace weir::engine
