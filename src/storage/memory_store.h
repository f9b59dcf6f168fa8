// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "storage/object_store.h"

namespace weir::storage {

/// Objects in this process's memory, for tests, simulations and scratch tables. OpenStore gives all
/// `memory://` URLs one such store, which lives as long as the process. It takes any path as a
/// name. Thread-safe; every call is atomic.
class MemoryStore final : public ObjectStore {
 public:
  /// Modification times come from `clock`, which must outlive the store.
  explicit MemoryStore(const Clock* clock = &Clock::System()) : clock_(clock) {}

  Result<std::string> Get(const std::string& path) override;
  Result<std::string> GetRange(const std::string& path, int64_t offset, int64_t length) override;
  Result<ObjectInfo> Head(const std::string& path) override;
  Result<std::vector<ObjectInfo>> List(const std::string& directory,
                                       std::string_view start_after = {}) override;
  Result<std::vector<ObjectInfo>> ListDirectory(const std::string& directory) override;
  Result<std::vector<ObjectInfo>> ListRecursive(const std::string& directory) override;
  Status Put(const std::string& path, std::string_view data) override;
  Status PutIfAbsent(const std::string& path, std::string_view data) override;
  Status Delete(const std::string& path) override;
  Status DeleteRecursive(const std::string& directory) override;

 private:
  struct Object {
    std::string data;
    int64_t modified_ms = 0;
  };
  using Objects = std::map<std::string, Object, std::less<>>;

  static ObjectInfo InfoOf(const Objects::value_type& entry);
  Objects::const_iterator FirstBelow(const std::string& prefix) const;

  const Clock* clock_;
  mutable std::mutex mutex_;
  Objects objects_;
};

}  // namespace weir::storage
