// SPDX-License-Identifier: Apache-2.0
#include "delta/checksum/version_checksum.h"

#include "delta/checksum/histograms.h"
#include "delta/snapshot/log_fixture.h"

namespace weir::delta {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Checksum : public LogTest {
 protected:
  static constexpr const char* kVectorProtocol =
      R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors","domainMetadata"]}})";

  JsonValue ReadJson(int64_t version) {
    auto text = store->Get(PathOf(ChecksumFileName(version)));
    EXPECT_TRUE(text);
    auto document = JsonValue::Parse(text ? *text : "");
    EXPECT_TRUE(document);
    return document ? *document : JsonValue();
  }
};

TEST_F(Checksum, SaysWhatTheTableWeighs) {
  Commit(0, {kVectorProtocol, MetadataLine(), AddLine("a", 9000), AddLine("b", 5, Vector("v")),
             R"({"txn":{"appId":"x","version":3}})",
             R"({"domainMetadata":{"domain":"d","configuration":"c","removed":false}})"});
  ASSERT_TRUE(WriteChecksum(*Load(), "tx"));
  JsonValue document = ReadJson(0);
  EXPECT_EQ(document.Find("txnId")->text(), "tx");
  EXPECT_EQ(document.Find("tableSizeBytes")->AsInt64(), 9005);
  EXPECT_EQ(document.Find("numFiles")->AsInt64(), 2);
  EXPECT_EQ(document.Find("numMetadata")->AsInt64(), 1);
  EXPECT_EQ(document.Find("numProtocol")->AsInt64(), 1);
  EXPECT_EQ(document.Find("numDeletedRecordsOpt")->AsInt64(), 2);
  EXPECT_EQ(document.Find("numDeletionVectorsOpt")->AsInt64(), 1);
  EXPECT_EQ(document.Find("inCommitTimestampOpt"), nullptr);
  EXPECT_EQ(document.Find("setTransactions")->items()[0].ToString(),
            R"({"appId":"x","version":3})");
  EXPECT_THAT(document.Find("domainMetadata")->items(), SizeIs(1));
  EXPECT_EQ(document.Find("metadata")->Find("id")->text(), "m");
  EXPECT_EQ(document.Find("protocol")->Find("minReaderVersion")->AsInt64(), 3);
  const JsonValue* sizes = document.Find("fileSizeHistogram");
  EXPECT_EQ(sizes->Find("sortedBinBoundaries")->items().size(), 95U);
  EXPECT_EQ(sizes->Find("fileCounts")->items()[1].AsInt64(), 1);
  EXPECT_EQ(sizes->Find("totalBytes")->items()[1].AsInt64(), 9000);
  EXPECT_EQ(document.Find("deletedRecordCountsHistogramOpt")->ToString(),
            R"({"deletedRecordCounts":[1,1,0,0,0,0,0,0,0,0]})");
  EXPECT_THAT(Load()->warnings(), IsEmpty());
}

TEST_F(Checksum, IsNeverOverwritten) {
  Commit(0, {kProtocol, MetadataLine()});
  Write(ChecksumFileName(0), {"mine"});
  EXPECT_TRUE(WriteChecksum(*Load(), {}));
  EXPECT_EQ(*store->Get(PathOf(ChecksumFileName(0))), "mine\n");
}

TEST_F(Checksum, AContradictionIsAWarningAndTheLogWins) {
  Commit(0, {kProtocol, MetadataLine(), AddLine("a", 10)});
  ASSERT_TRUE(WriteChecksum(*Load(), {}));
  Commit(0, {kProtocol, MetadataLine(), AddLine("a", 10), AddLine("b", 10)});
  auto snapshot = Load();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->files().size(), 2U);
  ASSERT_THAT(snapshot->warnings(), SizeIs(2));
  EXPECT_THAT(snapshot->warnings()[0], HasSubstr("numFiles 1, the log's actions give 2"));
}

TEST_F(Checksum, AMalformedOneIsAWarning) {
  Commit(0, {kProtocol, MetadataLine()});
  for (const char* text : {"malformed", "{}", "[]", R"({"tableSizeBytes":1,"numFiles":"x"})",
                           R"({"tableSizeBytes":1,"numFiles":1,"protocol":{},"metadata":{}})"}) {
    EXPECT_EQ(ParseVersionChecksum(text).error().kind, ErrorKind::kCorruptLog) << text;
    Write(ChecksumFileName(0), {text});
    EXPECT_THAT(Load()->warnings(), SizeIs(1)) << text;
  }
}

TEST_F(Checksum, CarriesTheInCommitTimestamp) {
  Commit(0, {R"({"commitInfo":{"inCommitTimestamp":77}})", kProtocol,
             MetadataLine(R"("delta.enableInCommitTimestamps":"true")")});
  ASSERT_TRUE(WriteChecksum(*Load(), {}));
  EXPECT_EQ(ReadJson(0).Find("inCommitTimestampOpt")->AsInt64(), 77);
}

TEST_F(Checksum, DeletedRecordsFallIntoTheProtocolsBins) {
  std::vector<std::string> lines = {kVectorProtocol, MetadataLine()};
  int n = 0;
  for (int64_t records :
       {0L, 1L, 9L, 10L, 99L, 100L, 9'999'999L, 10'000'000L, 2147483646L, 2147483647L}) {
    lines.push_back(AddLine(
        fmt::format("f{}", n++), 1,
        fmt::format(
            R"(,"deletionVector":{{"storageType":"u","pathOrInlineDv":"x","sizeInBytes":3,"cardinality":{}}})",
            records)));
  }
  Commit(0, lines);
  EXPECT_THAT(CountDeletedRecords(Load()->files()).file_counts,
              ::testing::ElementsAre(1, 2, 2, 1, 0, 0, 0, 1, 2, 1));
}

}  // namespace
}  // namespace weir::delta
