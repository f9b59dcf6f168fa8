// SPDX-License-Identifier: Apache-2.0
#include "changes/change_stream.h"

#include <gtest/gtest.h>

#include "changes/lake_test.h"

namespace weir::changes {
namespace {

class ChangeStreamTest : public LakeTest {
 protected:
  StreamOptions From(StreamStart start) const {
    StreamOptions options;
    options.table = {"t", false};
    options.start = std::move(start);
    return options;
  }

  // "first-last" or "snapshot-last", and of a part the number of the files before it and of its
  // own.
  static std::string Text(const StreamBatch& batch) {
    std::string text = (batch.is_snapshot ? "snapshot" : std::to_string(batch.first)) + "-" +
                       std::to_string(batch.last);
    if (batch.is_part())
      text += ":" + std::to_string(batch.first_file) + "+" + std::to_string(batch.files);
    return text;
  }

  // The batches that are there, or the error's name.
  std::string Drain(ChangeStream& stream) {
    std::string batches;
    while (true) {
      auto batch = stream.Poll();
      if (!batch) return batches + batch.error().name;
      if (!*batch) return batches;
      batches += Text(**batch) + " ";
    }
  }

  std::string Drain(const StreamOptions& options, const std::optional<Offset>& resume = {}) {
    auto stream = ChangeStream::Open(*session_, options, resume);
    if (!stream) return stream.error().name;
    return Drain(*stream);
  }
};

TEST_F(ChangeStreamTest, BeginsWhereItIsTold) {
  Run("INSERT INTO t VALUES (1)");
  Run("INSERT INTO t VALUES (2)");
  EXPECT_EQ(Drain(From({StreamStart::Kind::kEarliest, ""})), "0-2 ");
  EXPECT_EQ(Drain(From({StreamStart::Kind::kBound, "2"})), "2-2 ");
  EXPECT_EQ(Drain(From({StreamStart::Kind::kLatest, ""})), "");
  EXPECT_EQ(Drain(From({StreamStart::Kind::kSnapshot, ""})), "snapshot-2 ");
  EXPECT_EQ(Drain(From({StreamStart::Kind::kBound, "9"})), "DELTA_CDC_START_VERSION_AFTER_LATEST");
}

TEST_F(ChangeStreamTest, GoesOnWithNewCommits) {
  auto stream = ChangeStream::Open(*session_, From({StreamStart::Kind::kSnapshot, ""}), {});
  ASSERT_TRUE(stream);
  EXPECT_EQ(Drain(*stream), "snapshot-0 ");
  Run("INSERT INTO t VALUES (1)");
  EXPECT_EQ(Drain(*stream), "1-1 ");
  EXPECT_EQ(Drain(*stream), "");
  EXPECT_EQ(stream->offset().next_version, 2);
}

TEST_F(ChangeStreamTest, ABatchHoldsWholeCommitsWithinItsLimits) {
  for (int i = 0; i < 5; ++i) Run("INSERT INTO t VALUES (1)");
  auto options = From({StreamStart::Kind::kEarliest, ""});
  options.max_files = 2;
  EXPECT_EQ(Drain(options), "0-2 3-4 5-5 ");
  options.max_bytes = 1;
  EXPECT_EQ(Drain(options), "0-1 2-2 3-3 4-4 5-5 ") << "one commit is always taken";
}

TEST_F(ChangeStreamTest, TheRowsItBeginsWithComeInParts) {
  for (int i = 0; i < 5; ++i) Run("INSERT INTO t SELECT " + std::to_string(i) + " FROM range(3)");
  auto options = From({StreamStart::Kind::kSnapshot, ""});
  EXPECT_EQ(Drain(options), "snapshot-5 ");
  options.max_files = 2;
  EXPECT_EQ(Drain(options), "snapshot-5:0+2 snapshot-5:2+2 snapshot-5:4+1 ");
  options.max_rows = 3;
  EXPECT_EQ(Drain(options),
            "snapshot-5:0+1 snapshot-5:1+1 snapshot-5:2+1 snapshot-5:3+1 snapshot-5:4+1 ");
  options.max_rows.reset();
  options.max_bytes = 1;
  EXPECT_EQ(Drain(options).substr(0, 30), "snapshot-5:0+1 snapshot-5:1+1 ");
  Run("DELETE FROM t");
  EXPECT_EQ(Drain(options), "snapshot-6 ") << "an empty one is told of, too";
}

TEST_F(ChangeStreamTest, GoesOnAmongTheRowsItBeganWithThoughTheyAreGone) {
  for (int i = 0; i < 5; ++i) Run("INSERT INTO t VALUES (" + std::to_string(i) + ")");
  auto options = From({StreamStart::Kind::kSnapshot, ""});
  options.max_files = 2;
  std::string rows;
  std::optional<Offset> offset;
  // Each batch comes to another process, between which the table changes.
  for (const char* change : {"OPTIMIZE t", "DELETE FROM t WHERE id < 3",
                             "CALL weir_checkpoint('t')", "INSERT INTO t VALUES (7)"}) {
    auto stream = ChangeStream::Open(*session_, options, offset);
    ASSERT_TRUE(stream) << stream.error().ToString();
    auto batch = stream->Poll();
    ASSERT_TRUE(batch && *batch) << change;
    rows += Text(**batch) + "/";
    Run("CREATE OR REPLACE TEMP TABLE had AS " + (offset ? "FROM had UNION ALL " : std::string()) +
        (*batch)->sql);
    offset = stream->offset();
    Run(change);
  }
  EXPECT_EQ(rows, "snapshot-5:0+2/snapshot-5:2+2/snapshot-5:4+1/6-7/");
  EXPECT_EQ(Query("SELECT id || left(_change_type, 1) || _commit_version FROM had ORDER BY ALL"),
            "0d7 0i5 1d7 1i5 2d7 2i5 3i5 4i5 ");
}

TEST_F(ChangeStreamTest, OnlyACommitThatAddsRowsAloneComesInParts) {
  Run("CREATE TABLE p (id BIGINT, k BIGINT) PARTITIONED BY (k) WITH ('delta.enableChangeDataFeed' "
      "= 'true')");
  Run("INSERT INTO p SELECT range, range % 5 FROM range(20)");
  Run("UPDATE p SET id = id + 100");
  Run("INSERT INTO p SELECT range, range FROM range(3)");
  auto options = From({StreamStart::Kind::kEarliest, ""});
  options.table.text = "p";
  options.max_files = 3;
  EXPECT_EQ(Drain(options), "1-1:0+3 1-1:3+2 2-2 3-3 ");
  EXPECT_EQ(Drain(options, Offset{{}, 1, 4}), "1-1:4+1 2-2 3-3 ");
  EXPECT_EQ(Drain(options, Offset{{}, 1, 5}), "2-2 3-3 ") << "all of it was had";
  options.max_files = 100;
  options.max_rows = 8;
  EXPECT_EQ(Drain(options), "1-1:0+2 1-1:2+2 1-1:4+1 2-2 3-3 ");
}

TEST_F(ChangeStreamTest, RowsBoundABatchAlsoThoseOfChangeDataFiles) {
  Run("INSERT INTO t SELECT range FROM range(4)");
  Run("UPDATE t SET id = id + 10 WHERE id < 2");
  Run("INSERT INTO t VALUES (7)");
  auto options = From({StreamStart::Kind::kEarliest, ""});
  options.max_rows = 5;
  EXPECT_EQ(Drain(options), "0-1 2-3 ");
  options.max_rows = 4;
  EXPECT_EQ(Drain(options), "0-1 2-2 3-3 ");
}

TEST_F(ChangeStreamTest, AWaitingStreamNoticesCommitsAndTheEndOfItsTable) {
  auto stream = ChangeStream::Open(*session_, From({StreamStart::Kind::kLatest, ""}), {});
  ASSERT_TRUE(stream);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Drain(*stream), "");
  Run("INSERT INTO t VALUES (1)");
  EXPECT_EQ(Drain(*stream), "1-1 ");
  Run("DROP TABLE t");
  std::string end;
  for (int i = 0; i < 50 && end.empty(); ++i) end = Drain(*stream);
  EXPECT_EQ(end, "DELTA_TABLE_NOT_FOUND");
}

TEST_F(ChangeStreamTest, ATableThatIsMadeAnewIsAnother) {
  Run("INSERT INTO t VALUES (1)");
  auto stream = ChangeStream::Open(*session_, From({StreamStart::Kind::kLatest, ""}), {});
  ASSERT_TRUE(stream);
  Run("DROP TABLE t");
  Run("CREATE TABLE t (id BIGINT) WITH ('delta.enableChangeDataFeed' = 'true')");
  for (int i = 0; i < 3; ++i) Run("INSERT INTO t VALUES (1)");
  EXPECT_EQ(Drain(*stream), "DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE");
  EXPECT_EQ(stream->offset().next_version, 2);
}

TEST_F(ChangeStreamTest, AppendsGiveOutWhatIsBeforeACommitThatTakesRowsAway) {
  Run("INSERT INTO t VALUES (1), (2)");
  Run("INSERT INTO t VALUES (3)");
  Run("DELETE FROM t WHERE id = 1");
  Run("INSERT INTO t VALUES (4)");
  auto options = From({StreamStart::Kind::kEarliest, ""});
  options.reading.kind = FeedReading::Kind::kAppends;
  EXPECT_EQ(Drain(options), "0-1 2-2 DELTA_SOURCE_TABLE_IGNORE_CHANGES");
  options.reading.skip_change_commits = true;
  EXPECT_EQ(Drain(options), "0-4 ");
}

TEST_F(ChangeStreamTest, ResumesAtAnOffsetOfTheSameTable) {
  Run("INSERT INTO t VALUES (1)");
  Run("INSERT INTO t VALUES (2)");
  auto stream = ChangeStream::Open(*session_, From({StreamStart::Kind::kLatest, ""}), {});
  ASSERT_TRUE(stream);
  Offset offset = stream->offset();
  EXPECT_EQ(offset.next_version, 3);
  offset.next_version = 2;
  EXPECT_EQ(Drain(From({}), offset), "2-2 ");
  offset.next_version = 9;
  EXPECT_EQ(Drain(From({}), offset), "DELTA_CDC_START_VERSION_AFTER_LATEST");
  offset.table_id = "another";
  EXPECT_EQ(Drain(From({}), offset), "DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE");
}

TEST_F(ChangeStreamTest, StopsWhereColumnsChange) {
  Run("INSERT INTO t VALUES (1)");
  auto stream = ChangeStream::Open(*session_, From({StreamStart::Kind::kEarliest, ""}), {});
  ASSERT_TRUE(stream);
  EXPECT_EQ(Drain(*stream), "0-1 ");
  Run("ALTER TABLE t ADD COLUMN v VARCHAR");
  Run("INSERT INTO t VALUES (2, 'x')");
  EXPECT_EQ(Drain(*stream), "DELTA_SCHEMA_CHANGED_WITH_VERSION");
  EXPECT_EQ(stream->offset().next_version, 2) << "the offset stays";
  EXPECT_EQ(Drain(From({}), stream->offset()), "2-3 ") << "a new stream goes on";
}

}  // namespace
}  // namespace weir::changes
