// SPDX-License-Identifier: Apache-2.0
#include "delta/checkpoint/write_checkpoint.h"

#include "delta/checkpoint/last_checkpoint.h"
#include "delta/snapshot/log_fixture.h"
#include "delta/snapshot/log_listing.h"
#include "storage/fault_store.h"

namespace weir::delta {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kDay = 86'400'000;

class WriteCheckpointTest : public LogTest {
 protected:
  static constexpr const char* kV2Protocol =
      R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["v2Checkpoint"],"writerFeatures":["v2Checkpoint"]}})";

  void MakeTable(const std::string& protocol, const std::string& configuration) {
    clock.Set(100 * kDay);
    Commit(0, {protocol, MetadataLine(configuration),
               AddLine("a", 10, R"(,"stats":"{\"numRecords\":1}")"), AddLine("b"),
               R"({"txn":{"appId":"x","version":3,"lastUpdated":1}})",
               R"({"domainMetadata":{"domain":"d","configuration":"c","removed":false}})",
               R"({"domainMetadata":{"domain":"gone","configuration":"c","removed":false}})"});
    Commit(1, {RemoveLine("b", "", 99 * kDay), RemoveLine("long ago", "", 90 * kDay),
               R"({"domainMetadata":{"domain":"gone","configuration":"","removed":true}})"});
  }

  // Takes away the commits, so that only the checkpoint can tell.
  SnapshotPtr LoadFromCheckpoint() {
    Delete(CommitFileName(0));
    return Load();
  }
};

TEST_F(WriteCheckpointTest, ClassicHoldsTheWholeState) {
  MakeTable(kProtocol, "");
  ASSERT_TRUE(WriteCheckpoint(*Load()));
  auto hint = ReadLastCheckpoint(log);
  ASSERT_TRUE(hint);
  EXPECT_EQ(hint->version, 1);
  EXPECT_EQ(hint->num_of_add_files, 1);
  EXPECT_EQ(hint->size, 6);

  auto snapshot = LoadFromCheckpoint();
  ASSERT_TRUE(snapshot);
  EXPECT_THAT(snapshot->warnings(), IsEmpty());
  EXPECT_THAT(Paths(*snapshot), ElementsAre("a"));
  EXPECT_EQ(snapshot->files().stats(0), R"({"numRecords":1})");
  EXPECT_EQ(snapshot->transactions().at("x").version, 3);
  EXPECT_THAT(snapshot->domains(), SizeIs(1));
  ASSERT_THAT(**snapshot->Tombstones(), SizeIs(1));
  EXPECT_EQ((**snapshot->Tombstones())[0].path, "b");
}

TEST_F(WriteCheckpointTest, V2HasSidecarsAndAUniqueName) {
  MakeTable(kV2Protocol, R"("delta.checkpointPolicy":"v2")");
  ASSERT_TRUE(WriteCheckpoint(*Load()));
  ASSERT_TRUE(WriteCheckpoint(*Load()));
  auto listing = ListLog(log);
  ASSERT_TRUE(listing);
  EXPECT_THAT(listing->checkpoints, SizeIs(2));
  EXPECT_THAT(*store->List(PathOf("_sidecars")), SizeIs(2));
  auto snapshot = LoadFromCheckpoint();
  EXPECT_THAT(snapshot->warnings(), IsEmpty());
  EXPECT_THAT(Paths(*snapshot), ElementsAre("a"));
  EXPECT_THAT(**snapshot->Tombstones(), SizeIs(1));
}

TEST_F(WriteCheckpointTest, V2NeedsTheFeature) {
  MakeTable(kProtocol, R"("delta.checkpointPolicy":"v2")");
  ASSERT_TRUE(WriteCheckpoint(*Load()));
  EXPECT_TRUE(store->Head(PathOf(ClassicCheckpointFileName(1))));
}

TEST_F(WriteCheckpointTest, PropertiesDecideTheForms) {
  MakeTable(kProtocol, "");
  ASSERT_TRUE(WriteCheckpoint(*Load()));
  EXPECT_TRUE(io->layouts.back().stats_as_json);
  ASSERT_NE(io->layouts.back().stats_schema, nullptr);
  EXPECT_EQ(io->layouts.back().stats_schema->ToSql(),
            "STRUCT<numRecords: BIGINT, minValues: STRUCT<id: BIGINT, p: STRING>, maxValues: "
            "STRUCT<id: BIGINT, p: STRING>, nullCount: STRUCT<id: BIGINT, p: BIGINT>>");
  EXPECT_EQ(io->layouts.back().partition_schema, nullptr);

  Commit(2, {MetadataLine(R"("delta.checkpoint.writeStatsAsJson":"false")", "\"p\"")});
  ASSERT_TRUE(WriteCheckpoint(*Load()));
  EXPECT_FALSE(io->layouts.back().stats_as_json);
  ASSERT_NE(io->layouts.back().partition_schema, nullptr);
  EXPECT_EQ(io->layouts.back().partition_schema->ToSql(), "STRUCT<p: STRING>");

  Commit(3, {MetadataLine(R"("delta.checkpoint.writeStatsAsStruct":"false")", "\"p\"")});
  ASSERT_TRUE(WriteCheckpoint(*Load()));
  EXPECT_EQ(io->layouts.back().stats_schema, nullptr);
  EXPECT_EQ(io->layouts.back().partition_schema, nullptr);
}

TEST_F(WriteCheckpointTest, ExpiredTransactionsAreLeftOut) {
  MakeTable(kProtocol, R"("delta.setTransactionRetentionDuration":"interval 1 day")");
  ASSERT_TRUE(WriteCheckpoint(*Load()));
  EXPECT_THAT(LoadFromCheckpoint()->transactions(), IsEmpty());
}

TEST_F(WriteCheckpointTest, TheHintNeverTurnsBack) {
  MakeTable(kProtocol, "");
  Write("_last_checkpoint", {R"({"version":7,"size":1})"});
  ASSERT_TRUE(WriteCheckpoint(*Load()));
  EXPECT_EQ(ReadLastCheckpoint(log)->version, 7);
}

// Whatever call fails or gets no reply, the table reads the same before and after.
TEST_F(WriteCheckpointTest, AFaultAnywhereHarmsNobody) {
  for (auto fault :
       {storage::Fault::kError, storage::Fault::kReplyLost, storage::Fault::kStopped}) {
    for (int64_t i = 0;; ++i) {
      ASSERT_TRUE(store->DeleteRecursive("/t"));
      MakeTable(kV2Protocol, R"("delta.checkpointPolicy":"v2")");
      auto faulty = std::make_shared<storage::FaultStore>(store);
      log.store = faulty;
      auto snapshot = Load();
      faulty->Inject(faulty->calls() + i, fault);
      (void)WriteCheckpoint(*snapshot);
      bool hit = faulty->was_hit();
      log.store = store;
      auto after = Load();
      ASSERT_TRUE(after);
      EXPECT_THAT(Paths(*after), ElementsAre("a"));
      EXPECT_THAT(after->warnings(), IsEmpty());
      if (!hit) break;
    }
  }
}

}  // namespace
}  // namespace weir::delta
