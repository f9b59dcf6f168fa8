// SPDX-License-Identifier: Apache-2.0
#include "delta/snapshot/log_fixture.h"

namespace weir::delta {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class History : public LogTest {
 protected:
  void CommitAt(int64_t version, int64_t time, const std::vector<std::string>& lines) {
    clock.Set(time);
    Commit(version, lines);
  }
  static std::string Info(const std::string& operation, int64_t in_commit_timestamp = 0) {
    std::string timestamp = in_commit_timestamp == 0
                                ? ""
                                : fmt::format(R"(,"inCommitTimestamp":{})", in_commit_timestamp);
    return fmt::format(R"({{"commitInfo":{{"timestamp":5,"operation":"{}"{}}}}})", operation,
                       timestamp);
  }
  int64_t Resolve(int64_t time) {
    auto version = ResolveTimestamp(log, time);
    EXPECT_TRUE(version) << (version ? "" : version.error().ToString());
    return version ? *version : -1;
  }
};

TEST_F(History, NewestFirstUpToALimit) {
  CommitAt(0, 100, {Info("CREATE"), kProtocol, MetadataLine()});
  CommitAt(1, 200, {AddLine("a"), Info("WRITE")});
  CommitAt(2, 300, {AddLine("b")});
  auto history = ReadHistory(log, 0);
  ASSERT_TRUE(history);
  ASSERT_THAT(*history, SizeIs(3));
  EXPECT_EQ((*history)[0].version, 2);
  EXPECT_FALSE((*history)[0].info.operation());
  EXPECT_EQ((*history)[1].info.operation(), "WRITE");
  EXPECT_EQ((*history)[1].timestamp_ms, 200);
  EXPECT_THAT(*ReadHistory(log, 2), SizeIs(2));
  log.root = "/nowhere";
  EXPECT_EQ(ReadHistory(log, 0).error().name, "DELTA_TABLE_NOT_FOUND");
}

TEST_F(History, ALargeCommitIsReadByItsHead) {
  std::vector<std::string> lines = {Info("WRITE"), kProtocol, MetadataLine()};
  for (int i = 0; i < 2000; ++i) lines.push_back(AddLine(fmt::format("f{}", i)));
  CommitAt(0, 100, lines);
  std::swap(lines[0], lines[1]);  // not where writers put it
  lines[1] = Info("OTHER");
  CommitAt(1, 200, lines);
  auto history = ReadHistory(log, 0);
  ASSERT_TRUE(history);
  EXPECT_EQ((*history)[1].info.operation(), "WRITE");
  EXPECT_EQ((*history)[0].info.operation(), "OTHER");
}

TEST_F(History, OneCommit) {
  CommitAt(0, 100, {kProtocol, MetadataLine()});
  EXPECT_THAT(*ReadCommit(log, 0), SizeIs(2));
  EXPECT_EQ(ReadCommit(log, 1).error().name, "DELTA_VERSION_NOT_FOUND");
  EXPECT_EQ(ReadCommit(log, -1).error().name, "DELTA_VERSION_NOT_FOUND");
  CommitAt(1, 100, {"{"});
  EXPECT_EQ(ReadCommit(log, 1).error().kind, ErrorKind::kCorruptLog);
}

TEST_F(History, FileTimesAreMadeToAscend) {
  CommitAt(0, 1000, {kProtocol, MetadataLine()});
  CommitAt(1, 900, {});
  CommitAt(2, 1001, {});
  CommitAt(3, 2000, {});
  auto times = ReadCommitTimestamps(log, 1, 3);
  ASSERT_TRUE(times);
  ASSERT_THAT(*times, SizeIs(3));
  EXPECT_EQ((*times)[0].timestamp_ms, 1001);
  EXPECT_EQ((*times)[1].timestamp_ms, 1002);
  EXPECT_EQ((*times)[2].timestamp_ms, 2000);
  EXPECT_EQ(Resolve(1000), 0);
  EXPECT_EQ(Resolve(1001), 1);
  EXPECT_EQ(Resolve(1999), 2);
  EXPECT_EQ(Resolve(2000), 3);
  EXPECT_EQ(Load({{}, 1500})->version(), 2);
  EXPECT_EQ(Load({1, {}})->timestamp_ms(), 1001);
}

TEST_F(History, TimesOutsideTheLogAreRefused) {
  CommitAt(0, 1000, {kProtocol, MetadataLine()});
  CommitAt(1, 2000, {});
  auto early = ResolveTimestamp(log, 999);
  EXPECT_EQ(early.error().name, "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION");
  EXPECT_THAT(early.error().message, HasSubstr("1970-01-01 00:00:01.000"));
  EXPECT_EQ(ResolveTimestamp(log, 2001).error().name, "DELTA_TIMESTAMP_GREATER_THAN_COMMIT");
  EXPECT_EQ(ResolveTimestamp(log, INT64_MAX).error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(ResolveTimestamp(log, INT64_MIN).error().kind, ErrorKind::kNotFound);
}

TEST_F(History, OnlyVersionsThatCanBeBuiltCount) {
  CommitAt(3, 3000, {});
  CommitAt(4, 4000, {});
  Checkpoint(ClassicCheckpointFileName(4), {kProtocol, MetadataLine()});
  CommitAt(5, 5000, {});
  EXPECT_EQ(ResolveTimestamp(log, 3500).error().name,
            "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION");
  EXPECT_EQ(Resolve(4999), 4);
}

TEST_F(History, InCommitTimestampsFromTheStart) {
  std::string enabled = R"("delta.enableInCommitTimestamps":"true")";
  CommitAt(0, 9000, {Info("CREATE", 1000), kProtocol, MetadataLine(enabled)});
  CommitAt(1, 8000, {Info("W", 2000)});
  CommitAt(2, 7000, {Info("W", 3000)});
  EXPECT_EQ(Load()->timestamp_ms(), 3000);
  EXPECT_EQ(Resolve(1000), 0);
  EXPECT_EQ(Resolve(2999), 1);
  EXPECT_EQ(Resolve(3000), 2);
  EXPECT_EQ(ResolveTimestamp(log, 3001).error().name, "DELTA_TIMESTAMP_GREATER_THAN_COMMIT");
  auto early = ResolveTimestamp(log, 999);
  EXPECT_EQ(early.error().name, "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION");
  EXPECT_THAT(early.error().message, HasSubstr("version 0"));
  EXPECT_EQ((*ReadHistory(log, 1))[0].timestamp_ms, 3000);
  EXPECT_EQ((*ReadCommitTimestamps(log, 1, 1))[0].timestamp_ms, 2000);
}

TEST_F(History, InCommitTimestampsSinceAVersion) {
  CommitAt(0, 1000, {kProtocol, MetadataLine()});
  CommitAt(1, 2000, {});
  CommitAt(
      2, 9000,
      {Info("SET", 3000), MetadataLine(R"("delta.enableInCommitTimestamps":"true",)"
                                       R"("delta.inCommitTimestampEnablementVersion":"2",)"
                                       R"("delta.inCommitTimestampEnablementTimestamp":"3000")")});
  CommitAt(3, 9500, {Info("W", 4000)});
  EXPECT_EQ(Resolve(1500), 0);
  EXPECT_EQ(Resolve(2500), 1);
  EXPECT_EQ(Resolve(3000), 2);
  EXPECT_EQ(Resolve(4000), 3);
  EXPECT_EQ(ResolveTimestamp(log, 4001).error().name, "DELTA_TIMESTAMP_GREATER_THAN_COMMIT");
  EXPECT_EQ(ResolveTimestamp(log, 999).error().name,
            "DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION");
}

TEST_F(History, TheTimestampOfACheckpointedVersionIsItsCommits) {
  CommitAt(0, 9000, {kProtocol, MetadataLine(R"("delta.enableInCommitTimestamps":"true")")});
  CommitAt(1, 9100, {Info("W", 1234)});
  Checkpoint(ClassicCheckpointFileName(1),
             {kProtocol, MetadataLine(R"("delta.enableInCommitTimestamps":"true")")});
  EXPECT_EQ(Load()->timestamp_ms(), 1234);
  // A commit without one breaks the rule; reading goes on, and says so.
  CommitAt(2, 9200, {});
  auto snapshot = Load();
  EXPECT_EQ(snapshot->timestamp_ms(), 9200);
  EXPECT_THAT(snapshot->warnings(), SizeIs(1));
}

}  // namespace
}  // namespace weir::delta
