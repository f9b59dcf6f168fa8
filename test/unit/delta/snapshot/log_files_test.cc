// SPDX-License-Identifier: Apache-2.0
#include "delta/snapshot/log_files.h"

#include <gtest/gtest.h>

namespace weir::delta {
namespace {

TEST(LogFiles, NamesOfEveryKindAreRead) {
  auto commit = ParseLogFileName("00000000000000000012.json");
  ASSERT_TRUE(commit);
  EXPECT_EQ(commit->kind, LogFileKind::kCommit);
  EXPECT_EQ(commit->version, 12);

  EXPECT_EQ(ParseLogFileName("00000000000000000012.crc")->kind, LogFileKind::kChecksum);
  EXPECT_EQ(ParseLogFileName("00000000000000000012.checkpoint.parquet")->kind,
            LogFileKind::kClassicCheckpoint);

  auto part = ParseLogFileName("00000000000000000012.checkpoint.0000000002.0000000003.parquet");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->kind, LogFileKind::kMultiPartCheckpoint);
  EXPECT_EQ(part->part, 2);
  EXPECT_EQ(part->parts, 3);

  auto json =
      ParseLogFileName("00000000000000000012.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->kind, LogFileKind::kUuidCheckpoint);
  EXPECT_TRUE(json->json);

  auto compaction = ParseLogFileName("00000000000000000004.00000000000000000006.compacted.json");
  ASSERT_TRUE(compaction);
  EXPECT_EQ(compaction->kind, LogFileKind::kCompaction);
  EXPECT_EQ(compaction->end_version, 6);
}

TEST(LogFiles, WhatIsNoFileOfTheLogIsPassedOver) {
  for (const char* name :
       {"", "_last_checkpoint", "12.json", "00000000000000000012.json.tmp",
        ".00000000000000000012.json", "99999999999999999999.json", "09223372036854775807.json",
        "0000000000000000001a.json",
        "00000000000000000012.80a083e8-7026-4e79-81be-64bd76c43a11.json",
        "00000000000000000012.checkpoint.0000000004.0000000003.parquet",
        "00000000000000000012.checkpoint.0000000000.0000000003.parquet",
        "00000000000000000012.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.orc",
        "00000000000000000006.00000000000000000006.compacted.json",
        "00000000000000000006.00000000000000000004.compacted.json"}) {
    EXPECT_FALSE(ParseLogFileName(name)) << name;
  }
}

TEST(LogFiles, NamesAreTwentyDigits) {
  EXPECT_EQ(CommitFileName(7), "00000000000000000007.json");
  EXPECT_EQ(ChecksumFileName(INT64_MAX), "09223372036854775807.crc");
  EXPECT_TRUE(ParseLogFileName(ClassicCheckpointFileName(3)));
  EXPECT_TRUE(ParseLogFileName(UuidCheckpointFileName(3, "80a083e8-7026-4e79-81be-64bd76c43a11")));
}

}  // namespace
}  // namespace weir::delta
