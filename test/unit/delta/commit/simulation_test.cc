// SPDX-License-Identifier: Apache-2.0
//
// Many writers over one failing store, interleaved by a seed. Each partition holds one file that
// stands for a counter; an increment reads it and replaces it by the next value. Whatever happens
// on the way, the counter must end at the number of increments that the log holds, and every writer
// must have been told the truth.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "delta/memory_table.h"
#include "storage/fault_store.h"

namespace weir::delta {
namespace {

using storage::Fault;

struct Increment {
  std::unique_ptr<Transaction> transaction;
  std::string id;
};

class Simulation {
 public:
  explicit Simulation(uint64_t seed)
      : random_(seed),
        memory_(std::make_shared<storage::MemoryStore>()),
        healthy_(memory_),
        faulty_(std::make_shared<storage::FaultStore>(memory_)),
        table_(faulty_) {}

  void Run() {
    healthy_.Create(TestProtocol({"rowTracking", "domainMetadata"}));
    for (const char* partition : {"a", "b", "c"}) {
      ASSERT_TRUE(healthy_.Append(Counter(partition, 0)));
    }
    for (int step = 0; step < 60; ++step) {
      if (random_() % 2) PlanFault();
      if (open_.size() < 4 && random_() % 2) {
        Begin();
      } else if (!open_.empty()) {
        Finish(random_() % open_.size());
      }
    }
    faulty_->Heal();
    while (!open_.empty()) Finish(0);
    Check();
  }

 private:
  static AddFile Counter(const std::string& partition, int64_t value) {
    return TestFile(partition + "/" + std::to_string(value), partition, 1);
  }

  void PlanFault() {
    static constexpr Fault kFaults[] = {Fault::kError, Fault::kReplyLost, Fault::kRequestLost};
    faulty_->Inject(faulty_->calls() + static_cast<int64_t>(random_() % 8), kFaults[random_() % 3]);
  }

  void Begin() {
    auto snapshot = Snapshot::Load(table_.log());
    if (!snapshot) return;
    auto transaction = Transaction::Begin(*snapshot);
    ASSERT_TRUE(transaction) << transaction.error().ToString();
    std::string partition(1, static_cast<char>('a' + random_() % 3));
    for (size_t i = 0; i < (*snapshot)->files().size(); ++i) {
      AddFile file = (*snapshot)->files().Get(i);
      if (file.partition_values.at("p") != partition) continue;
      int64_t value = std::stoll(file.path.substr(file.path.find('/') + 1));
      (*transaction)->reads().files.insert(file.path);
      (*transaction)->reads().predicates.push_back(ReadsPartition(partition));
      (*transaction)->Add(TestRemove(file.path));
      (*transaction)->Add(Counter(partition, value + 1));
    }
    std::string id = (*transaction)->id();
    open_.push_back({std::move(*transaction), id});
  }

  void Finish(size_t index) {
    auto result = open_[index].transaction->Commit();
    std::string id = open_[index].id;
    open_.erase(open_.begin() + static_cast<ptrdiff_t>(index));
    if (result) {
      told_success_[id] = result->version;
    } else if (result.error().kind != ErrorKind::kStateUnknown) {
      told_failure_.insert(id);
    }
  }

  void Check() {
    auto snapshot = healthy_.Load();
    std::map<std::string, int64_t> increments;
    std::map<std::string, int64_t> found;
    for (int64_t version = 4; version <= snapshot->version(); ++version) {
      auto id = *healthy_.All<CommitInfo>(version).at(0).txn_id();
      EXPECT_TRUE(found.emplace(id, version).second) << "committed twice";
      EXPECT_FALSE(told_failure_.contains(id)) << "was told that it failed";
      ++increments[*healthy_.All<AddFile>(version).at(0).partition_values.at("p")];
    }
    for (const auto& [id, version] : told_success_) EXPECT_EQ(found[id], version);
    ASSERT_EQ(snapshot->files().size(), 3U);
    std::set<int64_t> ids;
    for (size_t i = 0; i < 3; ++i) {
      std::string path(snapshot->files().path(i));
      EXPECT_EQ(std::stoll(path.substr(2)), increments[path.substr(0, 1)]) << "an update was lost";
      ids.insert(*snapshot->files().base_row_id(i));
    }
    EXPECT_EQ(ids.size(), 3U);
  }

  std::mt19937_64 random_;
  std::shared_ptr<storage::MemoryStore> memory_;
  MemoryTable healthy_;
  std::shared_ptr<storage::FaultStore> faulty_;
  MemoryTable table_;
  std::vector<Increment> open_;
  std::map<std::string, int64_t> told_success_;
  std::set<std::string> told_failure_;
};

TEST(Simulation, NoUpdateIsLost) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation(seed).Run();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace weir::delta
