// SPDX-License-Identifier: Apache-2.0
#include "delta/catalog/managed_store.h"

#include <gtest/gtest.h>

#include <set>

#include "delta/memory_table.h"
#include "delta/snapshot/log_files.h"
#include "storage/fault_store.h"
#include "storage/memory_store.h"

namespace weir::delta {
namespace {

using storage::Fault;
using storage::FaultStore;
using storage::MemoryStore;

Protocol ManagedProtocol() {
  Protocol protocol;
  protocol.min_reader_version = 3;
  protocol.min_writer_version = 7;
  protocol.reader_features = {"catalogManaged", "vacuumProtocolCheck"};
  protocol.writer_features = {"catalogManaged", "vacuumProtocolCheck", "inCommitTimestamp"};
  return protocol;
}

// A catalog-managed table of one version, with two handles on it.
class ManagedStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    plain_.Create(ManagedProtocol(), {{"delta.enableInCommitTimestamps", "true"}});
    managed_.log() = Managed();
  }

  TableLog Managed() {
    return ThroughCatalog(plain_.log(), MakeFolderCatalog(store_, plain_.log().root));
  }

  std::string Published(int64_t version) { return "/t/_delta_log/" + CommitFileName(version); }

  std::set<std::string> Staged() {
    std::set<std::string> names;
    const auto files = store_->List("/t/_delta_log/_staged_commits");
    for (const auto& file : *files) names.insert(std::string(storage::BaseName(file.path)));
    return names;
  }

  std::shared_ptr<FaultStore> store_ =
      std::make_shared<FaultStore>(std::make_shared<MemoryStore>());
  MemoryTable plain_{store_};
  MemoryTable managed_{store_};
};

TEST_F(ManagedStoreTest, WhoComesByThePathIsSentToTheCatalog) {
  auto snapshot = Snapshot::Load(plain_.log());
  ASSERT_FALSE(snapshot);
  EXPECT_EQ(snapshot.error().name, kPathBasedAccessBlocked);
  EXPECT_EQ(managed_.Load()->version(), 0);
}

TEST_F(ManagedStoreTest, ACommitIsStagedRatifiedAndPublished) {
  auto result = managed_.Append(TestFile("a"));
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_EQ(result->version, 1);
  const auto staged = Staged();
  ASSERT_EQ(staged.size(), 1U);
  EXPECT_EQ(staged.begin()->substr(0, 21), VersionPrefix(1) + ".");
  const auto text = store_->Get("/t/_delta_log/_staged_commits/" + *staged.begin());
  EXPECT_EQ(*store_->Get(Published(1)), *text);
  const auto infos = managed_.All<CommitInfo>(1);
  ASSERT_EQ(infos.size(), 1U);
  EXPECT_TRUE(infos[0].txn_id() && infos[0].in_commit_timestamp());
}

TEST_F(ManagedStoreTest, AVersionIsThereBeforeItIsPublished) {
  ASSERT_TRUE(managed_.Append(TestFile("a")));
  ASSERT_TRUE(managed_.Append(TestFile("b")));
  ASSERT_TRUE(store_->Delete(Published(2)));
  MemoryTable other(store_);
  other.log() = Managed();
  EXPECT_EQ(other.Load()->version(), 2);
  EXPECT_EQ(other.Load()->files().size(), 2U);
  EXPECT_EQ(other.All<AddFile>(2).size(), 1U);
  // The next writer publishes it before its own.
  ASSERT_TRUE(other.Append(TestFile("c")));
  EXPECT_TRUE(store_->Get(Published(2)));
  EXPECT_TRUE(store_->Get(Published(3)));
}

TEST_F(ManagedStoreTest, WhatNobodyHasRatifiedIsNoVersion) {
  ASSERT_TRUE(managed_.Append(TestFile("a")));
  const std::string rogue = R"({"commitInfo":{"inCommitTimestamp":1}})";
  ASSERT_TRUE(store_->Put(Published(2), rogue));
  ASSERT_TRUE(store_->Put("/t/_delta_log/_staged_commits/" + VersionPrefix(2) + ".x.json", rogue));
  ASSERT_TRUE(store_->Put("/t/_delta_log/_staged_commits/" + VersionPrefix(3) + ".y.json", "{"));
  MemoryTable other(store_);
  other.log() = Managed();
  EXPECT_EQ(other.Load()->version(), 1);
  auto result = other.Append(TestFile("b"));
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_EQ(result->version, 2);
  EXPECT_NE(*store_->Get(Published(2)), rogue);
  EXPECT_EQ(other.Load()->files().size(), 2U);
}

TEST_F(ManagedStoreTest, TheCatalogsCommitCountsWhateverIsPublished) {
  ASSERT_TRUE(managed_.Append(TestFile("a")));
  ASSERT_TRUE(store_->Put(Published(1), R"({"commitInfo":{"inCommitTimestamp":1}})"));
  MemoryTable other(store_);
  other.log() = Managed();
  EXPECT_EQ(other.Load()->files().size(), 1U);
}

TEST_F(ManagedStoreTest, OfTwoWritersOneIsFirstAndTheOtherFollows) {
  MemoryTable other(store_);
  other.log() = Managed();
  auto first = managed_.Begin();
  auto second = other.Begin();
  first->Add(TestFile("a"));
  second->Add(TestFile("b"));
  ASSERT_TRUE(first->Commit());
  auto result = second->Commit();
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_EQ(result->version, 2);
  EXPECT_EQ(managed_.Load()->files().size(), 2U);
}

TEST_F(ManagedStoreTest, ACheckpointStandsBehindPublishedCommitsOnly) {
  ASSERT_TRUE(managed_.Append(TestFile("a")));
  ASSERT_TRUE(store_->Delete(Published(1)));
  const TableLog log = Managed();
  ASSERT_TRUE(log.store->Put("/t/_delta_log/" + ClassicCheckpointFileName(1), "x"));
  EXPECT_TRUE(store_->Get(Published(1)));
}

TEST_F(ManagedStoreTest, ACleanUpTakesTheCatalogsRecordToo) {
  ASSERT_TRUE(managed_.Append(TestFile("a")));
  ASSERT_TRUE(managed_.Append(TestFile("b")));
  ASSERT_TRUE(Managed().store->Delete(Published(1)));
  EXPECT_EQ(Staged().size(), 1U);
  EXPECT_FALSE(*MakeFolderCatalog(store_, "/t")->Find(1));
  EXPECT_EQ((*MakeFolderCatalog(store_, "/t")->Newest())->version, 2);
}

// Whatever call goes wrong, and however: a commit that was reported is there once, one that failed
// is not, and the table goes on.
TEST(ManagedStoreFaultsTest, NothingIsLostOrDoubled) {
  for (Fault fault : {Fault::kError, Fault::kReplyLost, Fault::kRequestLost}) {
    for (int64_t i = 0;; ++i) {
      auto memory = std::make_shared<MemoryStore>();
      MemoryTable plain(memory);
      plain.Create(ManagedProtocol(), {{"delta.enableInCommitTimestamps", "true"}});
      const auto open = [&](std::shared_ptr<storage::ObjectStore> store) {
        TableLog log = plain.log();
        log.store = store;
        MemoryTable table(store);
        table.log() = ThroughCatalog(log, MakeFolderCatalog(store, log.root));
        return table;
      };
      auto faulty = std::make_shared<FaultStore>(memory);
      MemoryTable writer = open(faulty);
      faulty->Inject(i, fault);
      std::set<std::string> done;
      std::set<std::string> unknown;
      for (const std::string name : {"a", "b"}) {
        auto snapshot = Snapshot::Load(writer.log());
        if (!snapshot) continue;
        auto transaction = Transaction::Begin(*snapshot);
        ASSERT_TRUE(transaction);
        (*transaction)->Add(TestFile(name));
        auto result = (*transaction)->Commit();
        if (result) done.insert(name);
        if (!result && result.error().kind == ErrorKind::kStateUnknown) unknown.insert(name);
      }
      const bool was_hit = faulty->was_hit();
      MemoryTable reader = open(memory);
      const auto before = reader.Load();
      std::set<std::string> found;
      for (size_t f = 0; f < before->files().size(); ++f) {
        const std::string path(before->files().path(f));
        EXPECT_TRUE(found.insert(path).second);
        EXPECT_TRUE(done.contains(path) || unknown.contains(path)) << path << " at call " << i;
      }
      for (const auto& name : done) EXPECT_TRUE(found.contains(name)) << name << " at call " << i;
      auto next = reader.Append(TestFile("c"));
      ASSERT_TRUE(next) << next.error().ToString();
      EXPECT_EQ(next->version, before->version() + 1);
      for (int64_t version = 0; version <= next->version; ++version)
        EXPECT_TRUE(memory->Get("/t/_delta_log/" + CommitFileName(version))) << version;
      if (!was_hit) break;
    }
  }
}

}  // namespace
}  // namespace weir::delta
