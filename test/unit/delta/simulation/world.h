// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "delta/simulation/model.h"
#include "delta/simulation/plan.h"
#include "delta/simulation/turns.h"
#include "delta/snapshot/log_files.h"
#include "storage/errors.h"
#include "storage/memory_store.h"

namespace weir::delta {

/// The furthest that a clock is set back at once.
inline constexpr uint64_t kLongestSlipMs = uint64_t{3} * 3600 * 1000;

/// Time goes on with every call.
class SimulatedClock final : public Clock {
 public:
  int64_t NowMillis() const override { return now_ms_; }
  void Advance(int64_t millis) { now_ms_ += millis; }

 private:
  int64_t now_ms_ = 1'700'000'000'000;
};

/// All that the clients of a simulation share.
struct World {
  explicit World(uint64_t seed) : plan(seed), turns(seed ^ 0x9E3779B97F4A7C15) {}

  /// Some requests that were given up arrive late.
  void DeliverLate(bool all) {
    while (!late.empty() && (all || plan.random() % 4 == 0)) {
      const size_t pick = plan.random() % late.size();
      auto request = std::move(late[pick]);
      late.erase(late.begin() + static_cast<ptrdiff_t>(pick));
      request();
    }
  }

  Plan plan;
  Turns turns;
  SimulatedClock clock;
  storage::MemoryStore objects{&clock};
  Model model{plan, objects};
  std::vector<std::function<void()>> late;
  int64_t next_key = 1;
  int64_t next_file = 1;
  int64_t calls = 0;
  int64_t faults = 0;
  /// How many clients are in the middle of a load or a commit: time makes no jumps then.
  int busy = 0;
  bool is_jump_wanted = false;
};

/// The shared store as one client sees it: at every call another client may get the turn, and the
/// call may go wrong.
class ClientStore final : public storage::ObjectStore {
 public:
  explicit ClientStore(World& world) : world_(world) {}

  /// The process has died; every call fails until it is started again.
  bool is_dead() const { return is_dead_; }
  void Restart() { is_dead_ = false; }
  int64_t faults() const { return faults_; }

  Result<std::string> Get(const std::string& path) override {
    return Read(path, [&] { return world_.objects.Get(path); });
  }
  Result<std::string> GetRange(const std::string& path, int64_t offset, int64_t length) override {
    return Read(path, [&] { return world_.objects.GetRange(path, offset, length); });
  }
  Result<storage::ObjectInfo> Head(const std::string& path) override {
    return Read(path, [&] { return world_.objects.Head(path); });
  }
  Result<std::vector<storage::ObjectInfo>> List(const std::string& directory,
                                                std::string_view start_after) override {
    return Read(directory, [&] { return world_.objects.List(directory, start_after); });
  }
  Result<std::vector<storage::ObjectInfo>> ListDirectory(const std::string& directory) override {
    return Read(directory, [&] { return world_.objects.ListDirectory(directory); });
  }
  Result<std::vector<storage::ObjectInfo>> ListRecursive(const std::string& directory) override {
    return Read(directory, [&] { return world_.objects.ListRecursive(directory); });
  }
  Status Put(const std::string& path, std::string_view data) override {
    if (IsCommit(path)) world_.model.Breach("a commit is overwritten: " + path);
    return Write(path, data, [&world = world_, path, data = std::string(data)] {
      return world.objects.Put(path, data);
    });
  }
  Status PutIfAbsent(const std::string& path, std::string_view data) override {
    return Write(path, {}, [&world = world_, path, data = std::string(data)] {
      auto status = world.objects.PutIfAbsent(path, data);
      if (status && IsCommit(path))
        world.model.OnCommit(ParseLogFileName(storage::BaseName(path))->version, data);
      return status;
    });
  }
  Status Delete(const std::string& path) override {
    return Write(path, {}, [&world = world_, path] { return world.objects.Delete(path); });
  }
  Status DeleteRecursive(const std::string& directory) override {
    return Write(directory, {},
                 [&world = world_, directory] { return world.objects.DeleteRecursive(directory); });
  }

 private:
  enum class Trouble { kNone, kError, kReplyLost, kRequestLost, kLate, kDies, kDiesAfter, kTorn };

  static bool IsCommit(const std::string& path) {
    auto name = ParseLogFileName(storage::BaseName(path));
    return name && name->kind == LogFileKind::kCommit &&
           path.find("/_delta_log/0") != std::string::npos;
  }

  // Lets others go first, then draws what is to become of the call.
  Trouble Enter(bool writes) {
    world_.turns.Yield();
    ++world_.calls;
    world_.clock.Advance(1 + static_cast<int64_t>(world_.plan.random() % 20));
    if (world_.plan.slips && world_.plan.random() % 50 == 0)
      world_.clock.Advance(-static_cast<int64_t>(world_.plan.random() % kLongestSlipMs));
    world_.DeliverLate(false);
    if (static_cast<int>(world_.plan.random() % 1000) >= world_.plan.faults_per_mille)
      return Trouble::kNone;
    ++world_.faults;
    ++faults_;
    if (!writes) return world_.plan.random() % 5 ? Trouble::kError : Trouble::kDies;
    constexpr Trouble kTroubles[] = {Trouble::kError, Trouble::kReplyLost, Trouble::kRequestLost,
                                     Trouble::kLate,  Trouble::kDies,      Trouble::kDiesAfter,
                                     Trouble::kTorn};
    return kTroubles[world_.plan.random() % std::size(kTroubles)];
  }

  Error Failure(const std::string& path) { return storage::StoreFailed("reach", path, "injected"); }

  template <typename Call>
  auto Read(const std::string& path, Call call) -> decltype(call()) {
    if (is_dead_) return Fail(Failure(path));
    const Trouble trouble = Enter(false);
    if (trouble == Trouble::kDies) is_dead_ = true;
    if (trouble != Trouble::kNone) return Fail(Failure(path));
    return call();
  }

  template <typename Call>
  Status Write(const std::string& path, std::string_view data, Call call) {
    if (is_dead_) return Fail(Failure(path));
    switch (Enter(true)) {
      case Trouble::kNone:
        return call();
      case Trouble::kReplyLost:
        (void)call();
        return Fail(storage::WriteStateUnknown(path, "injected"));
      case Trouble::kRequestLost:
        return Fail(storage::WriteStateUnknown(path, "injected"));
      case Trouble::kLate:
        world_.late.push_back([call] { (void)call(); });
        return Fail(storage::WriteStateUnknown(path, "injected"));
      case Trouble::kDies:
        is_dead_ = true;
        return Fail(Failure(path));
      case Trouble::kDiesAfter:
        is_dead_ = true;
        (void)call();
        return Fail(Failure(path));
      case Trouble::kTorn:
        Tear(path, data);
        return Fail(Failure(path));
      case Trouble::kError:
        return Fail(Failure(path));
    }
    return {};
  }

  // Hints and checksums of writers with less care may be cut off.
  void Tear(const std::string& path, std::string_view data) {
    if (path.ends_with(".crc") || path.ends_with("_last_checkpoint"))
      (void)world_.objects.Put(path, data.substr(0, data.size() / 2));
  }

  World& world_;
  bool is_dead_ = false;
  int64_t faults_ = 0;
};

}  // namespace weir::delta
