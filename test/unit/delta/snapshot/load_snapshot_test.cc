// SPDX-License-Identifier: Apache-2.0
#include "delta/snapshot/log_fixture.h"

namespace weir::delta {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LoadSnapshot : public LogTest {};

TEST_F(LoadSnapshot, CommitsAlone) {
  Commit(
      0,
      {kProtocol, MetadataLine("", "\"p\""),
       R"({"add":{"path":"p=1/a","partitionValues":{"p":"1"},"size":5,"modificationTime":7,"dataChange":true,"stats":"{\"numRecords\":3}","tags":{"k":"v"},"baseRowId":4,"defaultRowCommitVersion":1,"clusteringProvider":"liquid"}})",
       AddLine("b", 20)});
  Commit(1, {RemoveLine("b"), R"({"txn":{"appId":"x","version":3}})",
             R"({"domainMetadata":{"domain":"d","configuration":"c","removed":false}})",
             R"({"commitInfo":{"operation":"DELETE"}})"});
  auto snapshot = Load();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->version(), 1);
  EXPECT_THAT(Paths(*snapshot), ElementsAre("p=1/a"));
  EXPECT_EQ(snapshot->files().total_size(), 5);
  EXPECT_EQ(snapshot->files().partition_value(0, 0), "1");
  EXPECT_EQ(snapshot->files().stats(0), R"({"numRecords":3})");
  EXPECT_EQ(snapshot->transactions().at("x").version, 3);
  EXPECT_EQ(snapshot->domains().at("d").configuration, "c");
  ASSERT_NE(snapshot->commit_info(), nullptr);
  EXPECT_EQ(snapshot->commit_info()->operation(), "DELETE");
  EXPECT_THAT(snapshot->warnings(), IsEmpty());

  AddFile add = snapshot->files().Get(0);
  EXPECT_EQ(add.modification_time, 7);
  EXPECT_EQ(add.tags->at("k"), "v");
  EXPECT_EQ(add.base_row_id, 4);
  EXPECT_EQ(add.default_row_commit_version, 1);
  EXPECT_EQ(add.clustering_provider, "liquid");
  auto tombstones = snapshot->Tombstones();
  ASSERT_TRUE(tombstones);
  ASSERT_THAT(**tombstones, SizeIs(1));
  EXPECT_EQ((**tombstones)[0].path, "b");
}

TEST_F(LoadSnapshot, AnActionInAFormOnlyTheFullParserKnowsCounts) {
  // Whitespace in front of the name hides it from the quick look at a line's start.
  Commit(0, {kProtocol, MetadataLine(), "                          " + AddLine("a")});
  EXPECT_THAT(Paths(*Load()), ElementsAre("a"));
}

TEST_F(LoadSnapshot, NoLogIsNoTable) {
  EXPECT_EQ(LoadError().name, "DELTA_TABLE_NOT_FOUND");
  Write("00000000000000000000.json.tmp", {kProtocol});
  EXPECT_EQ(LoadError().kind, ErrorKind::kNotFound);
}

TEST_F(LoadSnapshot, WithoutProtocolOrMetadataThereIsNoState) {
  Commit(0, {MetadataLine()});
  EXPECT_EQ(LoadError().name, "DELTA_STATE_RECOVER_ERROR");
  Commit(0, {kProtocol});
  EXPECT_THAT(LoadError().message, HasSubstr("metaData"));
}

TEST_F(LoadSnapshot, FeaturesOfTheFutureAreNamed) {
  Commit(
      0,
      {R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors","timeMachine"],"writerFeatures":["deletionVectors","timeMachine"]}})",
       MetadataLine()});
  Error error = LoadError();
  EXPECT_EQ(error.name, "DELTA_UNSUPPORTED_FEATURES_FOR_READ");
  EXPECT_THAT(error.message, HasSubstr("timeMachine"));
}

TEST_F(LoadSnapshot, AMalformedCommitIsNamedWithItsLine) {
  Commit(0, {kProtocol, MetadataLine()});
  Commit(1, {AddLine("a"), R"({"add":{"path":"b","partitionValues":{},"si)"});
  Error error = LoadError();
  EXPECT_EQ(error.name, "DELTA_LOG_FILE_MALFORMED");
  EXPECT_EQ(error.kind, ErrorKind::kCorruptLog);
  EXPECT_THAT(error.message, HasSubstr("00000000000000000001.json"));
  EXPECT_THAT(error.message, HasSubstr("2"));
}

TEST_F(LoadSnapshot, TwoMetadataActionsInOneCommitAreRefused) {
  Commit(0, {kProtocol, MetadataLine(), MetadataLine()});
  EXPECT_EQ(LoadError().name, "DELTA_LOG_FILE_MALFORMED");
}

TEST_F(LoadSnapshot, ALargeCommitIsCutAtLines) {
  std::vector<std::string> lines = {kProtocol, MetadataLine()};
  for (int i = 0; i < 20'000; ++i) lines.push_back(AddLine(fmt::format("file-{}", i), 1));
  lines.push_back(RemoveLine("file-7"));
  Commit(0, lines);
  auto snapshot = Load();
  EXPECT_EQ(snapshot->files().size(), 19'999U);
  EXPECT_EQ(snapshot->files().path(0), "file-0");
  EXPECT_EQ(snapshot->files().path(7), "file-8");
  EXPECT_EQ(snapshot->files().path(19'998), "file-19999");
}

// --- reconciliation

TEST_F(LoadSnapshot, PathsAreEqualAfterDecoding) {
  Commit(0, {kProtocol, MetadataLine(), AddLine("p=a%20b/x"), AddLine("p=c/y")});
  Commit(1, {RemoveLine("p=a b/x"), RemoveLine("p%3Dc/y")});
  EXPECT_THAT(Paths(*Load()), IsEmpty());
}

TEST_F(LoadSnapshot, ADeletionVectorMakesAnotherLogicalFile) {
  Commit(0, {kProtocol, MetadataLine(), AddLine("a")});
  Commit(1, {AddLine("a", 10, Vector("v1")), RemoveLine("a")});
  auto snapshot = Load();
  ASSERT_THAT(Paths(*snapshot), ElementsAre("a"));
  EXPECT_EQ(snapshot->files().deletion_vector(0)->path_or_inline_dv, "v1");
  EXPECT_EQ((**snapshot->Tombstones()).size(), 1U);

  // The remove of the old vector behind the add of the new one, and an absent offset is not 0.
  Commit(2, {AddLine("a", 10, Vector("v1", ",\"offset\":0")), RemoveLine("a", Vector("v1"))});
  snapshot = Load();
  ASSERT_THAT(Paths(*snapshot), ElementsAre("a"));
  EXPECT_EQ(snapshot->files().deletion_vector(0)->offset, 0);
}

TEST_F(LoadSnapshot, TheNewestAddOfAPathWins) {
  Commit(0, {kProtocol, MetadataLine(), AddLine("a", 1)});
  Commit(1, {AddLine("a", 2)});
  Commit(2, {AddLine("a", 3, Vector("v"))});
  auto snapshot = Load();
  ASSERT_THAT(Paths(*snapshot), ElementsAre("a"));
  EXPECT_EQ(snapshot->files().file_size(0), 3);
}

TEST_F(LoadSnapshot, AFileThatCameBackHasNoTombstone) {
  Commit(0, {kProtocol, MetadataLine(), AddLine("a")});
  Commit(1, {RemoveLine("a")});
  Commit(2, {AddLine("a", 11)});
  auto snapshot = Load();
  EXPECT_THAT(Paths(*snapshot), ElementsAre("a"));
  EXPECT_THAT(**snapshot->Tombstones(), IsEmpty());
}

TEST_F(LoadSnapshot, RemovedDomainsAndNewerTransactions) {
  Commit(0, {kProtocol, MetadataLine(), R"({"txn":{"appId":"x","version":9}})",
             R"({"domainMetadata":{"domain":"d","configuration":"1","removed":false}})",
             R"({"domainMetadata":{"domain":"e","configuration":"1","removed":false}})"});
  Commit(1, {R"({"txn":{"appId":"x","version":4}})",
             R"({"domainMetadata":{"domain":"d","configuration":"","removed":true}})"});
  auto snapshot = Load();
  EXPECT_EQ(snapshot->transactions().at("x").version, 4);
  EXPECT_EQ(snapshot->domains().count("d"), 0U);
  EXPECT_EQ(snapshot->domains().count("e"), 1U);
}

// --- which files make a version

TEST_F(LoadSnapshot, ACheckpointStandsForTheCommitsBelowIt) {
  Checkpoint(ClassicCheckpointFileName(5),
             {kProtocol, MetadataLine(), AddLine("a"), AddLine("b"), RemoveLine("old"),
              R"({"txn":{"appId":"x","version":1}})"});
  Commit(6, {RemoveLine("a"), AddLine("c")});
  auto snapshot = Load();
  EXPECT_EQ(snapshot->version(), 6);
  EXPECT_THAT(Paths(*snapshot), ElementsAre("b", "c"));
  EXPECT_EQ((**snapshot->Tombstones()).size(), 2U);
  EXPECT_EQ(Load({5, {}})->files().size(), 2U);
}

TEST_F(LoadSnapshot, AnIncompleteMultiPartCheckpointIsNone) {
  Commit(0, {kProtocol, MetadataLine(), AddLine("a")});
  Commit(1, {AddLine("b")});
  Checkpoint("00000000000000000001.checkpoint.0000000001.0000000002.parquet", {AddLine("wrong")});
  EXPECT_THAT(Paths(*Load()), ElementsAre("a", "b"));
  Checkpoint("00000000000000000001.checkpoint.0000000002.0000000002.parquet",
             {kProtocol, MetadataLine(), AddLine("right")});
  EXPECT_THAT(Paths(*Load()), ElementsAre("wrong", "right"));
}

TEST_F(LoadSnapshot, ABrokenCheckpointGivesWayToAnOlderOne) {
  Commit(0, {kProtocol, MetadataLine(), AddLine("a")});
  Commit(1, {AddLine("b")});
  Commit(2, {AddLine("c")});
  Checkpoint(ClassicCheckpointFileName(1), {kProtocol, MetadataLine(), AddLine("a"), AddLine("b")});
  Write(ClassicCheckpointFileName(2), {"PARQUET", kProtocol});  // cut short
  auto snapshot = Load();
  EXPECT_THAT(Paths(*snapshot), ElementsAre("a", "b", "c"));
  ASSERT_THAT(snapshot->warnings(), SizeIs(1));
  EXPECT_THAT(snapshot->warnings()[0], HasSubstr("00000000000000000002.checkpoint.parquet"));

  Write(ClassicCheckpointFileName(1), {""});
  EXPECT_THAT(Paths(*Load()), ElementsAre("a", "b", "c"));

  // Without the commits nothing makes up for it, and the reason is the checkpoint.
  Delete(CommitFileName(0));
  Error error = LoadError();
  EXPECT_EQ(error.kind, ErrorKind::kCorruptLog);
  EXPECT_EQ(error.name, "DELTA_CHECKPOINT_UNREADABLE");
}

TEST_F(LoadSnapshot, ACheckpointWithoutProtocolIsBroken) {
  Commit(0, {kProtocol, MetadataLine(), AddLine("a")});
  Checkpoint(ClassicCheckpointFileName(0), {MetadataLine()});
  EXPECT_THAT(Paths(*Load()), ElementsAre("a"));
}

TEST_F(LoadSnapshot, TheHintIsOnlyAHint) {
  Checkpoint(ClassicCheckpointFileName(3), {kProtocol, MetadataLine(), AddLine("a")});
  Checkpoint(ClassicCheckpointFileName(5), {kProtocol, MetadataLine(), AddLine("b")});
  Commit(4, {AddLine("x")});
  Commit(5, {RemoveLine("x"), RemoveLine("a"), AddLine("b")});
  Commit(6, {AddLine("c")});
  for (const char* hint :
       {R"({"version":5,"size":3})", R"({"version":3,"size":3})", R"({"version":4,"size":3})",
        R"({"version":9,"size":3})", R"({"version":-1})", "{\"version\":5", "", "null", "[]",
        R"({"version":5,"checksum":"00000000000000000000000000000000"})"}) {
    Write("_last_checkpoint", {hint});
    auto snapshot = Load();
    ASSERT_TRUE(snapshot) << hint;
    EXPECT_EQ(snapshot->version(), 6) << hint;
    EXPECT_THAT(Paths(*snapshot), ElementsAre("b", "c")) << hint;
    EXPECT_THAT(Paths(*Load({4, {}})), ElementsAre("a", "x")) << hint;
  }
  Delete("_last_checkpoint");
  EXPECT_THAT(Paths(*Load()), ElementsAre("b", "c"));
}

TEST_F(LoadSnapshot, AHintToADeletedCheckpointFallsBack) {
  Commit(0, {kProtocol, MetadataLine(), AddLine("a")});
  Commit(1, {AddLine("b")});
  Commit(2, {AddLine("c")});
  Write("_last_checkpoint", {R"({"version":1,"size":3})"});
  EXPECT_THAT(Paths(*Load()), ElementsAre("a", "b", "c"));
}

TEST_F(LoadSnapshot, AGapIsNamed) {
  Commit(0, {kProtocol, MetadataLine()});
  Commit(1, {AddLine("a")});
  Commit(3, {AddLine("b")});
  Commit(7, {AddLine("c")});
  Error error = LoadError();
  EXPECT_EQ(error.name, "DELTA_VERSIONS_NOT_CONTIGUOUS");
  EXPECT_THAT(error.message, HasSubstr("2, 4 to 6"));
  EXPECT_THAT(Paths(*Load({1, {}})), ElementsAre("a"));
  // A checkpoint above the gap heals it.
  Checkpoint(ClassicCheckpointFileName(6), {kProtocol, MetadataLine(), AddLine("z")});
  EXPECT_THAT(Paths(*Load()), ElementsAre("z", "c"));
}

TEST_F(LoadSnapshot, AFarVersionNumberDoesNotMakeItRunForEver) {
  Commit(0, {kProtocol, MetadataLine()});
  Commit(INT64_MAX - 1, {AddLine("a")});
  EXPECT_EQ(LoadError().name, "DELTA_VERSIONS_NOT_CONTIGUOUS");
}

TEST_F(LoadSnapshot, ALogWithoutItsStartIsTruncated) {
  Commit(2, {AddLine("a")});
  Commit(3, {AddLine("b")});
  Error error = LoadError();
  EXPECT_EQ(error.name, "DELTA_TRUNCATED_TRANSACTION_LOG");
  EXPECT_THAT(error.message, HasSubstr("0 to 1"));
}

TEST_F(LoadSnapshot, VersionsThatAreNotThereAreRefusedWithTheRange) {
  Checkpoint(ClassicCheckpointFileName(3), {kProtocol, MetadataLine()});
  Commit(4, {AddLine("a")});
  for (int64_t version : {-1, 2, 5}) {
    Error error = LoadError({version, {}});
    EXPECT_EQ(error.name, "DELTA_VERSION_NOT_FOUND") << version;
    EXPECT_EQ(error.kind, ErrorKind::kNotFound);
    EXPECT_THAT(error.message, HasSubstr("3 to 4"));
  }
  EXPECT_EQ(LoadError({1, 1}).kind, ErrorKind::kInvalidArgument);
}

TEST_F(LoadSnapshot, CompactionsStandForCommitsWhenTheyFit) {
  Commit(0, {kProtocol, MetadataLine()});
  Commit(1, {AddLine("a")});
  Commit(2, {RemoveLine("a"), AddLine("b")});
  Commit(3, {AddLine("c"), R"({"commitInfo":{"operation":"WRITE"}})"});
  Write("00000000000000000001.00000000000000000002.compacted.json",
        {RemoveLine("a"), AddLine("b2")});
  EXPECT_THAT(Paths(*Load()), ElementsAre("b2", "c"));
  EXPECT_THAT(Paths(*Load({1, {}})), ElementsAre("a"));
  // Commits that are gone are made up for.
  Delete(CommitFileName(1));
  EXPECT_THAT(Paths(*Load()), ElementsAre("b2", "c"));
}

TEST_F(LoadSnapshot, ABrokenOrUnreconciledCompactionIsPassedOver) {
  Commit(0, {kProtocol, MetadataLine()});
  Commit(1, {AddLine("a")});
  Commit(2, {AddLine("b")});
  const char* name = "00000000000000000001.00000000000000000002.compacted.json";
  Write(name, {AddLine("x"), "{\"add\":"});
  EXPECT_THAT(Paths(*Load()), ElementsAre("a", "b"));
  Write(name, {AddLine("x"), AddLine("x", 10, Vector("v"))});
  EXPECT_THAT(Paths(*Load()), ElementsAre("a", "b"));
}

// --- V2 checkpoints

class LoadV2Checkpoint : public LogTest {
 protected:
  const std::string kJsonName =
      "00000000000000000002.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json";
  const std::string kMarker = R"({"checkpointMetadata":{"version":2}})";
  static std::string SidecarLine(const std::string& path) {
    return fmt::format(R"({{"sidecar":{{"path":"{}","sizeInBytes":3,"modificationTime":1}}}})",
                       path);
  }
};

TEST_F(LoadV2Checkpoint, JsonWithEverythingInIt) {
  Write(kJsonName, {kMarker, kProtocol, MetadataLine(), AddLine("a"), RemoveLine("b")});
  Commit(3, {AddLine("c")});
  auto snapshot = Load();
  EXPECT_THAT(Paths(*snapshot), ElementsAre("a", "c"));
  EXPECT_EQ((**snapshot->Tombstones()).size(), 1U);
  EXPECT_EQ(io->reads, 0);
}

TEST_F(LoadV2Checkpoint, SidecarsInOrder) {
  Write(kJsonName, {kMarker, kProtocol, MetadataLine(), SidecarLine("one%201.parquet"),
                    SidecarLine("two.parquet")});
  Checkpoint("_sidecars/one 1.parquet", {AddLine("a"), RemoveLine("r")});
  Checkpoint("_sidecars/two.parquet", {AddLine("b")});
  auto snapshot = Load();
  EXPECT_THAT(Paths(*snapshot), ElementsAre("a", "b"));
  EXPECT_EQ((**snapshot->Tombstones()).size(), 1U);
}

// They "must always reside in the table's own _delta_log/_sidecars": nothing else is opened.
TEST_F(LoadV2Checkpoint, SidecarsFromElsewhereAreRefused) {
  const std::string line = AddLine("bad");
  for (const char* path : {"../../../u/s.parquet", "%2E%2E/%2e%2e/s.parquet", "/u/s.parquet",
                           "file:///u/s.parquet", "s3://b/s.parquet"}) {
    for (const char* place : {"/u/s.parquet", "/t/s.parquet", "s3://b/s.parquet"}) {
      ASSERT_TRUE(store->Put(place, "PARQUET\n" + line + "\nEND\n"));
    }
    Write(kJsonName, {kMarker, kProtocol, MetadataLine(), SidecarLine(path)});
    EXPECT_EQ(LoadError().name, "DELTA_CHECKPOINT_UNREADABLE") << path;
  }
  EXPECT_EQ(io->reads, 0);
  Checkpoint("_sidecars/s.parquet", {AddLine("a")});
  Write(kJsonName, {kMarker, kProtocol, MetadataLine(),
                    SidecarLine("file:///t/_delta_log/_sidecars/s.parquet")});
  EXPECT_THAT(Paths(*Load()), ElementsAre("a"));
}

TEST_F(LoadV2Checkpoint, ClassicNameWithSidecars) {
  Checkpoint(ClassicCheckpointFileName(2),
             {kMarker, kProtocol, MetadataLine(), SidecarLine("s.parquet")});
  Checkpoint("_sidecars/s.parquet", {AddLine("a")});
  EXPECT_THAT(Paths(*Load()), ElementsAre("a"));
}

TEST_F(LoadV2Checkpoint, WhatContradictsItselfIsPassedOver) {
  Commit(0, {kProtocol, MetadataLine(), AddLine("good")});
  Commit(1, {});
  Commit(2, {});
  Checkpoint("_sidecars/s.parquet", {AddLine("bad")});
  std::vector<std::vector<std::string>> broken = {
      {kProtocol, MetadataLine(), AddLine("bad")},    // no checkpointMetadata
      {kMarker, kMarker, kProtocol, MetadataLine()},  // two of them
      {R"({"checkpointMetadata":{"version":1}})", kProtocol, MetadataLine()},
      {kMarker, kProtocol, MetadataLine(), AddLine("x"), SidecarLine("s.parquet")},
      {kMarker, kProtocol, MetadataLine(), SidecarLine("gone.parquet")},
      {kMarker, kProtocol, MetadataLine(), SidecarLine("%zz")},
      {R"({"checkpointMetadata":{"version":2,"tags":{"numOfAddFiles":"2"}}})", kProtocol,
       MetadataLine(), AddLine("bad")},
      {kMarker, kProtocol, "{\"metaData\":{"}};
  for (const auto& lines : broken) {
    Write(kJsonName, lines);
    auto snapshot = Load();
    ASSERT_TRUE(snapshot) << lines.back();
    EXPECT_THAT(Paths(*snapshot), ElementsAre("good")) << lines.back();
    EXPECT_THAT(snapshot->warnings(), SizeIs(1)) << lines.back();
  }
}

// --- statistics of large checkpoints

class LargeCheckpoint : public LogTest {
 protected:
  void SetUp() override {
    std::vector<std::string> lines = {kProtocol, MetadataLine()};
    for (const char* path : {"a", "b", "c"}) {
      lines.push_back(
          AddLine(path, 10, fmt::format(R"(,"stats":"{{\"numRecords\":{}}}")", path[0] - 'a')));
    }
    lines.push_back(std::string(size_t{17} << 20, ' '));
    Checkpoint(ClassicCheckpointFileName(1), lines);
    Commit(2, {RemoveLine("a"), AddLine("d", 10, R"(,"stats":"{\"numRecords\":3}")")});
  }
};

TEST_F(LargeCheckpoint, StatisticsAreReadWhenTheyAreAskedFor) {
  auto snapshot = Load();
  EXPECT_EQ(io->stats_reads, 0);
  EXPECT_FALSE(snapshot->files().GetWithoutStats(0).stats);
  EXPECT_EQ(io->stats_reads, 0);
  EXPECT_EQ(snapshot->files().stats(0), R"({"numRecords":1})");
  EXPECT_EQ(snapshot->files().stats(2), R"({"numRecords":3})");
  EXPECT_TRUE(snapshot->files().LoadStats());
  EXPECT_EQ(snapshot->files().Get(1).stats, R"({"numRecords":2})");
  EXPECT_EQ(io->stats_reads, 1);
  // A later snapshot over the same checkpoint has them already.
  Commit(3, {AddLine("e")});
  auto next = snapshot->Update();
  ASSERT_TRUE(next);
  EXPECT_EQ((*next)->files().stats(0), R"({"numRecords":1})");
  EXPECT_EQ(io->stats_reads, 1);
}

TEST_F(LargeCheckpoint, StatisticsOfSomeColumns) {
  auto snapshot = Load();
  auto statistics = snapshot->files().ReadStatistics({"id"});
  ASSERT_TRUE(statistics);
  EXPECT_EQ(io->last_stats_columns, std::vector<std::string>{"id"});
  EXPECT_EQ((*statistics)->json(0), R"({"numRecords":1})");
  EXPECT_EQ((*statistics)->json(2), R"({"numRecords":3})");
  snapshot.reset();
  EXPECT_EQ((*statistics)->json(1), R"({"numRecords":2})");
}

TEST_F(LargeCheckpoint, ACheckpointThatIsGoneIsAnErrorForThoseWhoNeedIt) {
  auto snapshot = Load();
  Delete(ClassicCheckpointFileName(1));
  EXPECT_EQ(snapshot->files().stats(0), "");
  EXPECT_EQ(snapshot->files().LoadStats().error().kind, ErrorKind::kNotFound);
  EXPECT_FALSE(snapshot->files().ReadStatistics({"id"}));
  EXPECT_FALSE(snapshot->Tombstones());
  EXPECT_EQ(snapshot->files().path(0), "b");
}

}  // namespace
}  // namespace weir::delta
