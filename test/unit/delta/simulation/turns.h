// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace weir::delta {

/// Runs several bodies on this one thread, each on a stack of its own: only the one that has the
/// turn goes on, and whenever it yields the seed chooses who is next. So a run of a seed is the
/// same on every machine, however loaded. Some bodies get the turn rarely.
class Turns {
 public:
  explicit Turns(uint64_t seed);
  ~Turns();

  /// Runs all bodies to their end. Once. Meanwhile this thread is a SimulatedThread.
  void Run(std::vector<std::function<void()>> bodies);

  /// Called by a body: another one may go on first.
  void Yield();

 private:
  struct Player;

  static void Play(unsigned high, unsigned low);
  size_t Choose();
  void SwitchTo(Player& from, Player& to);

  std::mt19937_64 random_;
  uint64_t patience_;  // one of so many calls gives the turn away
  std::vector<std::unique_ptr<Player>> players_;
  std::unique_ptr<Player> caller_;
  size_t current_ = 0;
};

}  // namespace weir::delta
