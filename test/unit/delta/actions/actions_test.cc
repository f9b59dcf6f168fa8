// SPDX-License-Identifier: Apache-2.0
#include "delta/actions/actions.h"

#include <gtest/gtest.h>

namespace weir::delta {
namespace {

constexpr std::string_view kFile = "00000000000000000007.json";

template <typename T>
T ParseOne(std::string_view line) {
  auto actions = ParseActions(kFile, line);
  if (!actions || actions->size() != 1 || !std::holds_alternative<T>(actions->front())) {
    ADD_FAILURE() << line << (actions ? "" : ": " + actions.error().message);
    return {};
  }
  return std::get<T>(actions->front());
}

/// Lines in the form in which Spark writes them.
constexpr std::string_view kSparkLines[] = {
    R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors","appendOnly"]}})",
    R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})",
    R"({"metaData":{"id":"5fba94ed","name":"n","description":"d","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":["p","q"],"configuration":{"delta.appendOnly":"true"},"createdTime":1587968585495}})",
    R"({"add":{"path":"p=a%20b/part-00000.snappy.parquet","partitionValues":{"p":"a b","q":null},"size":478,"modificationTime":1587968586000,"dataChange":true,"stats":"{\"numRecords\":1}","tags":{"ZCUBE_ID":"x"},"deletionVector":{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":4,"sizeInBytes":40,"cardinality":6},"baseRowId":10,"defaultRowCommitVersion":7,"clusteringProvider":"liquid"}})",
    R"({"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":2,"dataChange":false}})",
    R"({"remove":{"path":"a","deletionTimestamp":1515488792485,"dataChange":true,"extendedFileMetadata":true,"partitionValues":{},"size":478,"deletionVector":{"storageType":"i","pathOrInlineDv":"wi5b","sizeInBytes":40,"cardinality":6},"baseRowId":1,"defaultRowCommitVersion":2,"stats":"{}"}})",
    R"({"remove":{"path":"a","dataChange":false}})",
    R"({"cdc":{"path":"_change_data/cdc-0.parquet","partitionValues":{"p":"1"},"size":1213,"tags":{"a":"b"},"dataChange":false}})",
    R"({"txn":{"appId":"3ba13872","version":364475,"lastUpdated":1587968585495}})",
    R"({"txn":{"appId":"3ba13872","version":364475}})",
    R"({"domainMetadata":{"domain":"delta.rowTracking","configuration":"{\"rowIdHighWaterMark\":9}","removed":false}})",
    R"({"commitInfo":{"inCommitTimestamp":1,"timestamp":2,"operation":"WRITE","operationParameters":{"mode":"Append","partitionBy":"[]"},"isBlindAppend":true,"txnId":"t","x":1.50}})",
    R"({"checkpointMetadata":{"version":364475,"tags":{}}})",
    R"({"sidecar":{"path":"016ae953.parquet","sizeInBytes":2304522,"modificationTime":1512909768000,"tags":{}}})",
};

TEST(ParseActions, EveryActionIsWrittenBackAsSparkWroteIt) {
  for (std::string_view line : kSparkLines) {
    auto actions = ParseActions(kFile, line);
    ASSERT_TRUE(actions) << line << ": " << actions.error().message;
    ASSERT_EQ(actions->size(), 1u);
    EXPECT_EQ(SerializeAction(actions->front()), line);
  }
}

TEST(ParseActions, AddIsReadMemberByMember) {
  auto add = ParseOne<AddFile>(kSparkLines[3]);
  EXPECT_EQ(add.path, "p=a%20b/part-00000.snappy.parquet");
  EXPECT_EQ(add.partition_values, (PartitionValues{{"p", "a b"}, {"q", std::nullopt}}));
  EXPECT_EQ(add.size, 478);
  EXPECT_EQ(add.modification_time, 1587968586000);
  EXPECT_TRUE(add.data_change);
  EXPECT_EQ(add.stats, "{\"numRecords\":1}");
  EXPECT_EQ(add.tags, (StringMap{{"ZCUBE_ID", "x"}}));
  ASSERT_TRUE(add.deletion_vector);
  EXPECT_EQ(add.deletion_vector->UniqueId(), "uab^-aqEH.-t@S}K{vb[*k^@4");
  EXPECT_EQ(add.base_row_id, 10);
  EXPECT_EQ(add.default_row_commit_version, 7);
  EXPECT_EQ(add.clustering_provider, "liquid");
}

TEST(ParseActions, AVectorWithoutOffsetIsAnotherThanOneAtZero) {
  DeletionVectorDescriptor vector{'u', "x", std::nullopt, 1, 1};
  EXPECT_EQ(vector.UniqueId(), "ux");
  vector.offset = 0;
  EXPECT_EQ(vector.UniqueId(), "ux@0");
}

TEST(ParseActions, AnEmptyPartitionValueIsNull) {
  auto add = ParseOne<AddFile>(
      R"({"add":{"path":"a","partitionValues":{"p":""},"size":1,"modificationTime":2,"dataChange":true}})");
  EXPECT_EQ(add.partition_values, (PartitionValues{{"p", std::nullopt}}));
}

TEST(ParseActions, NullStandsForAbsent) {
  auto add = ParseOne<AddFile>(
      R"({"remove":null,"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":2,"dataChange":true,"stats":null,"tags":{"a":null,"b":"c"},"deletionVector":null,"baseRowId":null},"txn":null})");
  EXPECT_FALSE(add.stats);
  EXPECT_EQ(add.tags, (StringMap{{"b", "c"}}));
  EXPECT_FALSE(add.deletion_vector);
  EXPECT_FALSE(add.base_row_id);
}

TEST(ParseActions, UnknownActionsAndMembersAreSkipped) {
  auto actions =
      ParseActions(kFile, R"({"future":{"a":[1,{"b":null}],"c":"d"}})"
                          "\n"
                          R"({"txn":{"new":{"x":[true,-1.5e3]},"version":1,"appId":"a"}})"
                          "\n{}\n");
  ASSERT_TRUE(actions) << actions.error().message;
  ASSERT_EQ(actions->size(), 1u);
  EXPECT_EQ(std::get<SetTransaction>(actions->front()).version, 1);
}

TEST(ParseActions, BlankLinesMarksAndLineEndsDoNotMatter) {
  std::string text =
      "\xEF\xBB\xBF\r\n  \n{\"txn\":{\"appId\":\"a\",\"version\":1}}\r\n\n"
      " {\"txn\":{\"appId\":\"b\",\"version\":2}}";
  auto actions = ParseActions(kFile, text);
  ASSERT_TRUE(actions) << actions.error().message;
  EXPECT_EQ(actions->size(), 2u);
  EXPECT_TRUE(ParseActions(kFile, "")->empty());
  EXPECT_TRUE(ParseActions(kFile, "\n")->empty());
}

TEST(ParseActions, EscapesAndUnicodeAreDecodedOnce) {
  auto txn = ParseOne<SetTransaction>(
      "{\"txn\":{\"app\\u0049d\":\"\\u00e9\\ud83d\\ude00\\n\\\"%20\",\"version\":-"
      "9223372036854775808}}");
  EXPECT_EQ(txn.app_id, "é😀\n\"%20");
  EXPECT_EQ(txn.version, INT64_MIN);
}

TEST(ParseActions, CommitInfoGivesWhatHasAMeaning) {
  auto info = ParseOne<CommitInfo>(kSparkLines[11]);
  EXPECT_EQ(info.in_commit_timestamp(), 1);
  EXPECT_EQ(info.timestamp(), 2);
  EXPECT_EQ(info.operation(), "WRITE");
  EXPECT_EQ(info.txn_id(), "t");
  EXPECT_EQ(CommitInfo().operation(), std::nullopt);
}

TEST(ParseActions, ARemoveWithoutExtendedMetadataIsWrittenWithoutIt) {
  RemoveFile remove;
  remove.path = "a";
  remove.deletion_timestamp = 1;
  EXPECT_EQ(SerializeAction(remove),
            R"({"remove":{"path":"a","deletionTimestamp":1,"dataChange":true}})");
}

struct Malformed {
  std::string_view line;
  std::string_view reason;  ///< Must be in the message.
};

TEST(ParseActions, MalformedLinesAreRefusedByFileLineAndReason) {
  const Malformed cases[] = {
      {"{", "one JSON object"},
      {"nonsense", "one JSON object"},
      {"[]", "one JSON object"},
      {"7", "one JSON object"},
      {"null", "one JSON object"},
      {R"({"txn":{"appId":"a","version":1})", "broken"},
      {R"({"txn":{"appId":"a","version":1}}})", "behind"},
      {R"({"txn":{"appId":"a","version":1}} {"txn":{"appId":"a","version":1}})", "behind"},
      {R"({"txn":{"appId":"a" "version":1}})", "broken"},
      {R"({"txn":{"appId":"a","version":1,}})", "broken"},
      {R"({"txn":{"appId":"a","version":01}})", "'version' must be an integer, found 01"},
      {R"({"txn":{"appId":"a","version":1.5}})", "'version' must be an integer"},
      {R"({"txn":{"appId":"a","version":"1"}})", "'version' must be an integer, found \"1\""},
      {R"({"txn":{"appId":"a","version":9223372036854775808}})", "'version' must be an integer"},
      {R"({"txn":{"appId":7,"version":1}})", "'appId' must be a string, found 7"},
      {R"({"txn":{"appId":"\x","version":1}})", "'appId' must be a string"},
      {R"({"txn":{"version":1}})", "'txn': the required member 'appId' is missing"},
      {R"({"txn":{"appId":null,"version":1}})", "'appId' is missing"},
      {R"({"txn":[]})", "an object is expected, found []"},
      {R"({"txn":{"appId":"a","version":1},"add":{}})", "found 'txn' and 'add'"},
      {R"({"future":1,"txn":{"appId":"a","version":1}})", "found 'future' and 'txn'"},
      {R"({"future":{"a":tru}})", "broken in 'future'"},
      {R"({"txn":{"appId":"a","version":1,"x":[1,2}})", "broken"},
      {R"({"txn":{"appId":"a","version":1,"x":nul}})", "broken in member 'x'"},
      {R"({"add":{"partitionValues":{},"size":1,"modificationTime":2,"dataChange":true}})",
       "'path'"},
      {R"({"add":{"path":"a","size":1,"modificationTime":2,"dataChange":true}})",
       "'partitionValues' is missing"},
      {R"({"add":{"path":"a","partitionValues":{"p":1},"size":1,"modificationTime":2,"dataChange":true}})",
       "'partitionValues' must be an object of strings, found {\"p\":1}"},
      {R"({"add":{"path":"a","partitionValues":{},"modificationTime":2,"dataChange":true}})",
       "'size'"},
      {R"({"add":{"path":"a","partitionValues":{},"size":1,"dataChange":true}})",
       "'modificationTime'"},
      {R"({"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":2}})",
       "'dataChange'"},
      {R"({"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":2,"dataChange":"true"}})",
       "'dataChange' must be a boolean"},
      {R"({"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":2,"dataChange":true,"stats":{}}})",
       "'stats' must be a string"},
      {R"({"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":2,"dataChange":true,"deletionVector":{"storageType":"x","pathOrInlineDv":"a","sizeInBytes":1,"cardinality":1}}})",
       "deletionVector: member 'storageType' must be one of"},
      {R"({"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":2,"dataChange":true,"deletionVector":{"storageType":"u","sizeInBytes":1,"cardinality":1}}})",
       "deletionVector: the required member 'pathOrInlineDv'"},
      {R"({"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":2,"dataChange":true,"deletionVector":{"storageType":"u","pathOrInlineDv":"a","offset":3000000000,"sizeInBytes":1,"cardinality":1}}})",
       "'offset' must be an integer of 32 bits"},
      {R"({"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":2,"dataChange":true,"deletionVector":{"storageType":"u","pathOrInlineDv":"a","sizeInBytes":1,"cardinality":-1}}})",
       "negative"},
      {R"({"remove":{"dataChange":true}})", "'path' is missing"},
      {R"({"remove":{"path":"a"}})", "'dataChange' is missing"},
      {R"({"cdc":{"path":"a","partitionValues":{},"dataChange":false}})", "'size' is missing"},
      {R"({"cdc":{"path":"a","partitionValues":{},"size":1,"dataChange":0}})",
       "'dataChange' must be"},
      {R"({"protocol":{"minReaderVersion":1}})", "'minWriterVersion' is missing"},
      {R"({"protocol":{"minReaderVersion":5000000000,"minWriterVersion":2}})", "of 32 bits"},
      {R"({"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":[1]}})",
       "'readerFeatures' must be an array of strings, found [1]"},
      {R"({"metaData":{"id":"a","schemaString":"{}","partitionColumns":[],"configuration":{}}})",
       "'format' is missing"},
      {R"({"metaData":{"id":"a","format":{"options":{}},"schemaString":"{}","partitionColumns":[],"configuration":{}}})",
       "'provider' is missing"},
      {R"({"metaData":{"id":"a","format":{"provider":"parquet"},"partitionColumns":[],"configuration":{}}})",
       "'schemaString' is missing"},
      {R"({"metaData":{"id":"a","format":{"provider":"parquet"},"schemaString":"{}","partitionColumns":"p","configuration":{}}})",
       "'partitionColumns' must be an array of strings"},
      {R"({"domainMetadata":{"domain":"d","configuration":"c"}})", "'removed' is missing"},
      {R"({"commitInfo":7})", "an object is expected"},
      {R"({"commitInfo":{"a":tru}})", "JSON"},
      {R"({"sidecar":{"path":"a","sizeInBytes":1}})", "'modificationTime' is missing"},
      {R"({"checkpointMetadata":{}})", "'version' is missing"},
      {"{\"txn\":{\"appId\":\"\xFF\",\"version\":1}}", "broken"},
  };
  for (const auto& [line, reason] : cases) {
    auto actions =
        ParseActions(kFile, "{\"txn\":{\"appId\":\"good\",\"version\":1}}\n\n" + std::string(line));
    ASSERT_FALSE(actions) << line;
    const Error& error = actions.error();
    EXPECT_EQ(error.kind, ErrorKind::kCorruptLog) << line;
    EXPECT_EQ(error.name, "DELTA_LOG_FILE_MALFORMED") << line;
    EXPECT_NE(error.message.find(kFile), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("line 3"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find(reason), std::string::npos) << line << "\n" << error.message;
  }
}

TEST(ParseActions, AFileHasOneProtocolAndOneMetadata) {
  for (size_t single : {size_t{1}, size_t{2}, size_t{12}}) {
    std::string line(kSparkLines[single]);
    auto actions = ParseActions(kFile, line + "\n" + line);
    ASSERT_FALSE(actions) << line;
    EXPECT_NE(actions.error().message.find("line 2: a second"), std::string::npos)
        << actions.error().message;
  }
}

TEST(ParseActions, ATruncatedFileIsRefused) {
  std::string line(kSparkLines[3]);
  for (size_t length = 1; length < line.size(); ++length) {
    EXPECT_FALSE(ParseActions(kFile, line.substr(0, length))) << length;
  }
}

TEST(ParseActions, DepthOfWhatIsSkippedIsBounded) {
  std::string deep = R"({"future":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_FALSE(ParseActions(kFile, deep));
}

}  // namespace
}  // namespace weir::delta
