// SPDX-License-Identifier: Apache-2.0
#include "delta/checkpoint/last_checkpoint.h"

#include <gtest/gtest.h>

namespace weir::delta {
namespace {

TEST(LastCheckpoint, ChecksumOfTheProtocolsExample) {
  auto document = JsonValue::Parse(
      R"({"k0":"'v 0'", "checksum": "adsaskfljadfkjadfkj", "k1":{"k2": 2, "k3": ["v3", [1, 2], {"k4": "v4", "k5": ["v5", "v6", "v7"]}]}})");
  ASSERT_TRUE(document);
  EXPECT_EQ(JsonChecksum(*document), "6a92d155a59bf2eecbd4b4ec7fd1f875");
}

TEST(LastCheckpoint, ADoubledMemberHasNoChecksum) {
  JsonValue document = JsonValue::Object(
      {{"a", JsonValue::Int(1)}, {"b", JsonValue::Int(2)}, {"a", JsonValue::Int(3)}});
  EXPECT_FALSE(JsonChecksum(document));
}

// Written by Spark.
TEST(LastCheckpoint, ChecksumOfAnotherWriter) {
  std::string text =
      R"({"version":6,"size":106,"sizeInBytes":25454,"numOfAddFiles":101,"v2Checkpoint":{"path":"00000000000000000006.checkpoint.2a15d0c6-8b11-4a98-bab4-957905d62f7f.json","sizeInBytes":893,"modificationTime":1739329708558,"nonFileActions":[{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["v2Checkpoint"],"writerFeatures":["v2Checkpoint","appendOnly","invariants"]}},{"metaData":{"id":"f571bf08-452e-4155-9f52-f793e630c55c","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{"delta.checkpointPolicy":"v2","delta.checkpointInterval":"1"},"createdTime":1739329697356}},{"checkpointMetadata":{"version":6}}],"sidecarFiles":[{"path":"00000000000000000006.checkpoint.0000000001.0000000002.19af1366-a425-47f4-8fa6-8d6865625573.parquet","sizeInBytes":12276,"modificationTime":1739329708523},{"path":"00000000000000000006.checkpoint.0000000002.0000000002.5008b69f-aa8a-4a66-9299-0733a56a7e63.parquet","sizeInBytes":12285,"modificationTime":1739329708529}]},"checksum":"e47c82ad195e6ace22298af5ff68f1f5"})";
  auto hint = ParseLastCheckpoint(text);
  ASSERT_TRUE(hint);
  EXPECT_EQ(hint->version, 6);
  EXPECT_EQ(hint->num_of_add_files, 101);
  text[12] = '7';  // another version under the same checksum
  EXPECT_FALSE(ParseLastCheckpoint(text));
}

TEST(LastCheckpoint, RoundTrip) {
  LastCheckpoint hint{12, 34, 56, 7};
  auto read = ParseLastCheckpoint(SerializeLastCheckpoint(hint));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->version, 12);
  EXPECT_EQ(read->size, 34);
  EXPECT_EQ(read->size_in_bytes, 56);
  EXPECT_EQ(read->num_of_add_files, 7);
}

TEST(LastCheckpoint, WhatIsNoHint) {
  for (const char* text :
       {"", "{}", "[]", "null", "{\"version\":\"1\"}", "{\"version\":-1}", "{\"version\":1.5}",
        "{\"version\":99999999999999999999}", "{\"version\":1"}) {
    EXPECT_FALSE(ParseLastCheckpoint(text)) << text;
  }
}

}  // namespace
}  // namespace weir::delta
