// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/upkeep.h"

#include <gtest/gtest.h>

#include "delta/memory_table.h"
#include "delta/snapshot/log_files.h"
#include "delta/snapshot/log_fixture.h"
#include "storage/fault_store.h"

namespace weir::delta {
namespace {

constexpr int64_t kDay = 86'400'000;

class Upkeep : public testing::Test {
 protected:
  void SetUp() override {
    table_.log().clock = &clock_;
    table_.log().checkpoint_io = std::make_shared<FakeCheckpointIo>();
  }

  bool Exists(const std::string& name) {
    return table_.log().store->Head(storage::JoinPath(table_.log().log_dir(), name)).has_value();
  }

  void Append(int count) {
    for (int i = 0; i < count; ++i) {
      auto result = table_.Append(TestFile("f" + std::to_string(next_++)));
      ASSERT_TRUE(result) << result.error().ToString();
    }
  }

  int next_ = 0;
  FixedClock clock_{1'700'000'000'000};
  std::shared_ptr<storage::FaultStore> store_ =
      std::make_shared<storage::FaultStore>(std::make_shared<storage::MemoryStore>(&clock_));
  MemoryTable table_{store_};
};

TEST_F(Upkeep, WritesChecksumsAndDueCheckpoints) {
  table_.Create(TestProtocol(), {{"delta.checkpointInterval", "3"}});
  Append(7);
  for (int64_t version = 0; version <= 7; ++version) {
    EXPECT_TRUE(Exists(ChecksumFileName(version))) << version;
    EXPECT_EQ(Exists(ClassicCheckpointFileName(version)), version == 3 || version == 6) << version;
  }
  EXPECT_EQ(table_.Load()->files().size(), 7U);
  EXPECT_TRUE(table_.Load()->warnings().empty()) << "the checksums agree with the log";
}

TEST_F(Upkeep, CleansUpBehindACheckpoint) {
  table_.Create(TestProtocol(), {{"delta.checkpointInterval", "3"}});
  Append(7);
  clock_.Set(clock_.NowMillis() + 40 * kDay);
  Append(2);
  EXPECT_FALSE(Exists(CommitFileName(0)));
  EXPECT_FALSE(Exists(CommitFileName(5)));
  EXPECT_FALSE(Exists(ClassicCheckpointFileName(3)));
  EXPECT_TRUE(Exists(CommitFileName(6)));
  EXPECT_TRUE(Exists(ClassicCheckpointFileName(6)));
  EXPECT_EQ(table_.Load()->files().size(), 9U);
}

TEST_F(Upkeep, ABaseFromBeforeTheCleanUpIsRefused) {
  table_.Create(TestProtocol(), {{"delta.checkpointInterval", "3"}});
  Append(2);
  auto stale = table_.Begin();
  stale->Add(TestFile("stale"));
  Append(4);
  clock_.Set(clock_.NowMillis() + 40 * kDay);
  Append(3);
  ASSERT_FALSE(Exists(CommitFileName(3)));
  auto result = stale->Commit();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().name, "WEIR_SNAPSHOT_TOO_OLD");
  EXPECT_FALSE(Exists(CommitFileName(3))) << "it would be a commit that nobody reads";
}

TEST_F(Upkeep, AnOldBaseIsFineWhenNothingHasHappened) {
  table_.Create();
  Append(2);
  auto idle = table_.Begin();
  idle->Add(TestFile("idle"));
  clock_.Set(clock_.NowMillis() + 40 * kDay);
  EXPECT_TRUE(idle->Commit());
}

TEST_F(Upkeep, NeverFailsTheCommit) {
  table_.Create(TestProtocol(), {{"delta.checkpointInterval", "1"}});
  for (int64_t call = 1;; ++call) {
    auto transaction = table_.Begin();
    transaction->Add(TestFile("x" + std::to_string(call)));
    // Call 0 is the commit itself.
    store_->Inject(store_->calls() + call, storage::Fault::kError);
    auto result = transaction->Commit();
    ASSERT_TRUE(result) << call << result.error().ToString();
    bool was_hit = store_->was_hit();
    store_->Heal();
    EXPECT_EQ(table_.Load()->version(), call);
    EXPECT_EQ(table_.Load()->files().size(), static_cast<size_t>(call));
    if (!was_hit) break;
    ASSERT_LT(call, 100);
  }
}

}  // namespace
}  // namespace weir::delta
