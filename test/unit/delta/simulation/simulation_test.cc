// SPDX-License-Identifier: Apache-2.0
//
// Clients over one failing store, interleaved call by call by a seed: whatever happens, every
// version is what its operation means, every writer is told the truth, and every reader sees a
// version as it was committed. WEIR_SIM_SEEDS=10000 tries more seeds, WEIR_SIM_FIRST=n others.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "delta/simulation/client.h"
#include "delta/snapshot/log_fixture.h"

namespace weir::delta {
namespace {

constexpr size_t kShownBreaches = 5;

// Seeds that once found something: a log that was cleaned up between its listing and its reading,
// and between a winner's commit and the question for its time.
constexpr uint64_t kFoundSomething[] = {1984, 5847};

struct Totals {
  int64_t calls = 0;
  int64_t faults = 0;
  int64_t commits = 0;
};

void CreateTable(World& world) {
  MemoryTable table(std::shared_ptr<storage::ObjectStore>(&world.objects, [](auto*) {}));
  table.log().clock = &world.clock;
  auto transaction = *Transaction::BeginCreate(table.log());
  transaction->Add(world.plan.MakeProtocol());
  transaction->Add(world.plan.MakeMetadata());
  ASSERT_TRUE(transaction->Commit());
  world.model.OnCommit(0, *world.objects.Get("/t/_delta_log/" + CommitFileName(0)));
}

// What another process sees when all is over.
void CheckTheEnd(World& world) {
  world.DeliverLate(true);
  world.model.CheckTold();
  MemoryTable table(std::shared_ptr<storage::ObjectStore>(&world.objects, [](auto*) {}));
  table.log().clock = &world.clock;
  table.log().checkpoint_io = std::make_shared<FakeCheckpointIo>();
  auto snapshot = Snapshot::Load(table.log());
  if (!snapshot) return world.model.Breach("at the end: " + snapshot.error().ToString());
  if ((*snapshot)->version() != world.model.latest())
    world.model.Breach("at the end the table is not at its last version");
  world.model.CheckSnapshot(**snapshot);
}

Totals Simulate(uint64_t seed, bool slips = false) {
  World world(seed);
  world.plan.slips = slips;
  CreateTable(world);
  std::vector<std::unique_ptr<Client>> clients;
  std::vector<std::function<void()>> bodies;
  for (int i = 0; i < world.plan.clients; ++i) {
    clients.push_back(std::make_unique<Client>(world));
    bodies.emplace_back([client = clients.back().get()] { client->Run(); });
  }
  world.turns.Run(std::move(bodies));
  CheckTheEnd(world);
  const auto& breaches = world.model.breaches();
  for (size_t i = 0; i < breaches.size() && i < kShownBreaches; ++i)
    ADD_FAILURE() << "seed " << seed << ": " << breaches[i];
  return {world.calls, world.faults, world.model.commits()};
}

uint64_t Setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

void SimulateMany(uint64_t seeds, bool slips) {
  const uint64_t first = Setting("WEIR_SIM_FIRST", 0);
  Totals totals;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    const Totals one = Simulate(seed, slips);
    totals.calls += one.calls;
    totals.faults += one.faults;
    totals.commits += one.commits;
    if (testing::Test::HasFailure()) break;
  }
  std::cout << seeds << " seeds, " << totals.calls << " calls, " << totals.faults << " faults, "
            << totals.commits << " commits\n";
  EXPECT_GT(totals.commits, static_cast<int64_t>(seeds) * 8);
}

TEST(Simulation, EveryOrderOfCallsKeepsTheTableWhole) {
  SimulateMany(Setting("WEIR_SIM_SEEDS", 300), false);
}

// Machines' clocks are set back, and those of several do not agree.
TEST(Simulation, SoItDoesWhereClocksAreSetBack) {
  SimulateMany(Setting("WEIR_SIM_SEEDS", 300) / 5, true);
}

TEST(Simulation, SeedsThatOnceFailed) {
  for (uint64_t seed : kFoundSomething) Simulate(seed);
}

// The same seed is the same run, or a failure could not be looked at again. (Names of sidecars and
// what VACUUM finds are random, in content alike.)
TEST(Simulation, ASeedRepeats) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const Plan plan(seed);
    if (plan.is_v2 || plan.jumps) continue;
    const Totals once = Simulate(seed);
    const Totals again = Simulate(seed);
    EXPECT_EQ(once.calls, again.calls);
    EXPECT_EQ(once.commits, again.commits);
  }
}

}  // namespace
}  // namespace weir::delta
