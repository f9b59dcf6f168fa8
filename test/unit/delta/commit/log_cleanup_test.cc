// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/log_cleanup.h"

#include <gtest/gtest.h>

#include "delta/commit/upkeep.h"
#include "delta/memory_table.h"
#include "delta/snapshot/log_files.h"

namespace weir::delta {
namespace {

constexpr int64_t kDay = 86'400'000;

// A log with one commit a day, and files that look like checkpoints where a test puts them.
class LogCleanup : public testing::Test {
 protected:
  void Fill(int days, Protocol protocol = TestProtocol(), StringMap properties = {}) {
    table_.log().clock = &clock_;
    table_.Create(std::move(protocol), std::move(properties));
    for (int day = 1; day < days; ++day) {
      clock_.Set(clock_.NowMillis() + kDay);
      ASSERT_TRUE(table_.Append(TestFile("f" + std::to_string(day))));
    }
  }

  void Put(const std::string& name) {
    ASSERT_TRUE(table_.log().store->Put(storage::JoinPath(table_.log().log_dir(), name), "{}"));
  }

  std::vector<std::string> Plan(int64_t& kept) {
    auto plan = PlanLogCleanup(*snapshot_);
    EXPECT_TRUE(plan) << plan.error().ToString();
    kept = plan->kept_checkpoint;
    std::vector<std::string> names;
    for (const auto& file : plan->files) names.emplace_back(storage::BaseName(file));
    return names;
  }

  FixedClock clock_{1'700'000'000'000};
  MemoryTable table_{std::make_shared<storage::MemoryStore>(&clock_)};
  SnapshotPtr snapshot_;
};

TEST_F(LogCleanup, NothingGoesWithoutAnOldCheckpoint) {
  Fill(60);
  snapshot_ = table_.Load();
  int64_t kept = 0;
  EXPECT_TRUE(Plan(kept).empty());
  EXPECT_EQ(kept, -1);
}

TEST_F(LogCleanup, KeepsTheNewestOldCheckpointItsCommitAndEverythingBehind) {
  Fill(60);
  snapshot_ = table_.Load();
  Put(ClassicCheckpointFileName(10));
  Put(ClassicCheckpointFileName(20));
  Put(ClassicCheckpointFileName(40));
  Put(VersionPrefix(3) + "." + VersionPrefix(5) + ".compacted.json");
  Put(VersionPrefix(20) + "." + VersionPrefix(25) + ".compacted.json");
  Put(VersionPrefix(21) + "." + VersionPrefix(25) + ".compacted.json");
  int64_t kept = 0;
  auto names = Plan(kept);
  EXPECT_EQ(kept, 20);
  std::set<std::string> gone(names.begin(), names.end());
  EXPECT_TRUE(gone.contains(CommitFileName(0)));
  EXPECT_TRUE(gone.contains(CommitFileName(19)));
  EXPECT_FALSE(gone.contains(CommitFileName(20))) << "its commitInfo is in no checkpoint";
  EXPECT_TRUE(gone.contains(ChecksumFileName(19)));
  EXPECT_FALSE(gone.contains(ChecksumFileName(20)));
  EXPECT_TRUE(gone.contains(ClassicCheckpointFileName(10)));
  EXPECT_FALSE(gone.contains(ClassicCheckpointFileName(20)));
  EXPECT_TRUE(gone.contains(VersionPrefix(3) + "." + VersionPrefix(5) + ".compacted.json"));
  EXPECT_TRUE(gone.contains(VersionPrefix(20) + "." + VersionPrefix(25) + ".compacted.json"));
  EXPECT_FALSE(gone.contains(VersionPrefix(21) + "." + VersionPrefix(25) + ".compacted.json"));
  EXPECT_EQ(names.front(), CommitFileName(0)) << "commits go before their checkpoints";
  auto deleted = CleanUpLog(*snapshot_);
  ASSERT_TRUE(deleted);
  EXPECT_EQ(*deleted, static_cast<int64_t>(names.size()));
  EXPECT_TRUE(Plan(kept).empty());
}

TEST_F(LogCleanup, RetentionAndTheSwitchAreProperties) {
  Fill(60, TestProtocol(), {{"delta.logRetentionDuration", "interval 50 days"}});
  snapshot_ = table_.Load();
  Put(ClassicCheckpointFileName(5));
  Put(ClassicCheckpointFileName(20));
  int64_t kept = 0;
  EXPECT_FALSE(Plan(kept).empty());
  EXPECT_EQ(kept, 5);
}

TEST_F(LogCleanup, CanBeSwitchedOff) {
  Fill(60, TestProtocol(), {{"delta.enableExpiredLogCleanup", "false"}});
  snapshot_ = table_.Load();
  Put(ClassicCheckpointFileName(20));
  int64_t kept = 0;
  EXPECT_TRUE(Plan(kept).empty());
}

TEST_F(LogCleanup, ProtectedHistoryGoesAsAWholeOrNotAtAll) {
  Fill(60, TestProtocol({"checkpointProtection"}),
       {{"delta.requireCheckpointProtectionBeforeVersion", "20"}});
  snapshot_ = table_.Load();
  Put(ClassicCheckpointFileName(10));
  int64_t kept = 0;
  EXPECT_TRUE(Plan(kept).empty()) << "versions 10 to 19 would stay behind";
  Put(ClassicCheckpointFileName(20));
  EXPECT_FALSE(Plan(kept).empty());
  EXPECT_EQ(kept, 20);
}

TEST_F(LogCleanup, SidecarsGoWhenOldAndNamedByNobody) {
  Fill(60);
  snapshot_ = table_.Load();
  std::string uuid = "11111111-2222-3333-4444-555555555555";
  auto put = [&](const std::string& name, const std::string& text) {
    ASSERT_TRUE(table_.log().store->Put(storage::JoinPath(table_.log().log_dir(), name), text));
  };
  clock_.Set(clock_.NowMillis() - 5 * kDay);
  put("_sidecars/named.parquet", "x");
  put("_sidecars/unnamed.parquet", "x");
  clock_.Set(clock_.NowMillis() + 5 * kDay);
  put("_sidecars/young.parquet", "x");
  put(VersionPrefix(20) + ".checkpoint." + uuid + ".json",
      R"({"sidecar":{"path":"named.parquet","sizeInBytes":1,"modificationTime":1}})");
  int64_t kept = 0;
  auto names = Plan(kept);
  EXPECT_EQ(kept, 20);
  std::set<std::string> gone(names.begin(), names.end());
  EXPECT_TRUE(gone.contains("unnamed.parquet"));
  EXPECT_FALSE(gone.contains("named.parquet"));
  EXPECT_FALSE(gone.contains("young.parquet"));
  // A checkpoint that cannot be read may name any of them.
  Put(ClassicCheckpointFileName(40));
  names = Plan(kept);
  EXPECT_EQ(std::count(names.begin(), names.end(), "unnamed.parquet"), 0);
}

TEST(Checkpoints, AreDueAtTheirInterval) {
  Metadata metadata;
  EXPECT_FALSE(IsCheckpointDue(metadata, 0));
  EXPECT_FALSE(IsCheckpointDue(metadata, 9));
  EXPECT_TRUE(IsCheckpointDue(metadata, 10));
  metadata.configuration["delta.checkpointInterval"] = "3";
  EXPECT_TRUE(IsCheckpointDue(metadata, 3));
  metadata.configuration["delta.checkpointInterval"] = "0";
  EXPECT_FALSE(IsCheckpointDue(metadata, 3));
}

}  // namespace
}  // namespace weir::delta
