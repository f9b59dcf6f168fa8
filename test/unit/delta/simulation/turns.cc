// SPDX-License-Identifier: Apache-2.0
#include "delta/simulation/turns.h"

#include <ucontext.h>

#include <array>

#include "base/simulated_thread.h"

// ThreadSanitizer wants to hear of every change of stacks.
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#else
namespace {
void* __tsan_get_current_fiber() { return nullptr; }
void* __tsan_create_fiber(unsigned) { return nullptr; }
void __tsan_destroy_fiber(void*) {}
void __tsan_switch_to_fiber(void*, unsigned) {}
}  // namespace
#endif

namespace weir::delta {
namespace {

constexpr size_t kStackBytes = 1 << 20;
constexpr std::array<uint64_t, 4> kWeights = {1, 8, 8, 40};

}  // namespace

struct Turns::Player {
  ucontext_t context = {};
  void* fiber = nullptr;
  std::unique_ptr<char[]> stack;
  std::function<void()> body;
  uint64_t weight = 0;  // 0: it has ended
};

Turns::Turns(uint64_t seed) : random_(seed), patience_(1 + random_() % 6) {}

Turns::~Turns() {
  for (auto& player : players_) __tsan_destroy_fiber(player->fiber);
}

void Turns::Run(std::vector<std::function<void()>> bodies) {
  SimulatedThread simulated([this](int64_t) { Yield(); });
  caller_ = std::make_unique<Player>();
  caller_->fiber = __tsan_get_current_fiber();
  for (auto& body : bodies) {
    auto player = std::make_unique<Player>();
    player->body = std::move(body);
    player->weight = kWeights[random_() % kWeights.size()];
    player->stack = std::make_unique<char[]>(kStackBytes);
    player->fiber = __tsan_create_fiber(0);
    getcontext(&player->context);
    player->context.uc_stack.ss_sp = player->stack.get();
    player->context.uc_stack.ss_size = kStackBytes;
    // makecontext hands on numbers only.
    const auto self = reinterpret_cast<uintptr_t>(this);
    makecontext(&player->context, reinterpret_cast<void (*)()>(&Turns::Play), 2,
                static_cast<unsigned>(uint64_t{self} >> 32), static_cast<unsigned>(self));
    players_.push_back(std::move(player));
  }
  current_ = Choose();
  SwitchTo(*caller_, *players_[current_]);
}

void Turns::Play(unsigned high, unsigned low) {
  auto& turns = *reinterpret_cast<Turns*>((uint64_t{high} << 32) | low);
  Player& me = *turns.players_[turns.current_];
  me.body();
  me.weight = 0;
  turns.current_ = turns.Choose();
  const bool is_over = turns.current_ == turns.players_.size();
  turns.SwitchTo(me, is_over ? *turns.caller_ : *turns.players_[turns.current_]);
}

void Turns::Yield() {
  if (random_() % patience_ != 0) return;
  Player& me = *players_[current_];
  current_ = Choose();
  SwitchTo(me, *players_[current_]);
}

// One of those that have not ended; their number when there is none.
size_t Turns::Choose() {
  uint64_t total = 0;
  for (const auto& player : players_) total += player->weight;
  if (total == 0) return players_.size();
  uint64_t pick = random_() % total;
  size_t i = 0;
  for (; pick >= players_[i]->weight; ++i) pick -= players_[i]->weight;
  return i;
}

void Turns::SwitchTo(Player& from, Player& to) {
  if (&from == &to) return;
  __tsan_switch_to_fiber(to.fiber, 0);
  swapcontext(&from.context, &to.context);
}

}  // namespace weir::delta
