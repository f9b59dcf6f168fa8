// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "storage/object_store.h"

namespace weir::storage {

/// What goes wrong with a call.
enum class Fault {
  kError,        ///< It does not happen and fails with kIo.
  kReplyLost,    ///< It happens, but the caller is told kStateUnknown (a read: kIo).
  kRequestLost,  ///< It does not happen, and the caller is told kStateUnknown (a read: kIo).
  kShortRead,  ///< Get answers half of the object, as a store without atomic writes does; GetRange
               ///< fails with kIo. Other calls go well.
  kStopped,    ///< This and all later calls do not happen and fail with kIo: the process died.
};

/// Wraps a store and lets the i-th call go wrong, so that a test can run a scenario for i = 0, 1,
/// 2, ... until it ends without a fault:
///
///   for (int64_t i = 0;; ++i) {
///     FaultStore store(std::make_shared<MemoryStore>());
///     store.Inject(i, Fault::kReplyLost);
///     ... run, check that nothing is lost ...
///     if (!store.was_hit()) break;
///   }
///
/// Thread-safe; with many threads the order of calls is theirs.
class FaultStore final : public ObjectStore {
 public:
  explicit FaultStore(std::shared_ptr<ObjectStore> inner) : inner_(std::move(inner)) {}

  /// Plans a fault for call `index`, counted from 0 since construction. One plan at a time.
  void Inject(int64_t index, Fault fault);
  /// Plans a fault for the next call.
  void InjectNext(Fault fault);
  /// No fault from now on; also ends kStopped.
  void Heal();

  /// The number of calls so far.
  int64_t calls() const;
  /// Whether the planned fault has struck.
  bool was_hit() const;
  /// Every call so far, e.g. "PutIfAbsent /t/_delta_log/00000000000000000001.json".
  std::vector<std::string> journal() const;

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
  enum class Outcome { kGood, kShort, kError, kReplyLost, kRequestLost };

  /// Counts a call and tells what is to become of it.
  Outcome Enter(std::string_view call, const std::string& path);
  template <typename Call>
  auto Read(std::string_view name, const std::string& path, Call call) -> decltype(call());
  template <typename Call>
  Status Write(std::string_view name, const std::string& path, Call call);

  std::shared_ptr<ObjectStore> inner_;
  mutable std::mutex mutex_;
  int64_t fault_at_ = -1;
  Fault fault_ = Fault::kError;
  bool was_hit_ = false;
  std::vector<std::string> journal_;
};

}  // namespace weir::storage
