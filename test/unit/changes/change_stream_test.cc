// SPDX-License-Identifier: Apache-2.0
#include "changes/change_stream.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace weir::changes {
namespace {

class ChangeStreamTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("weir-changes-" + std::to_string(::getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    auto database = engine::Database::Open();
    ASSERT_TRUE(database) << database.error().ToString();
    database_ = std::move(*database);
    session_ = std::move(*database_->Connect());
    ASSERT_TRUE(session_->AttachWarehouse(folder_.string(), "lake"));
    Run("CREATE TABLE t (id BIGINT) WITH ('delta.enableChangeDataFeed' = 'true')");
  }
  void TearDown() override {
    session_.reset();
    database_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Run(const std::string& sql) {
    const Status status = session_->Execute(sql);
    ASSERT_TRUE(status) << status.error().ToString();
  }

  StreamOptions From(StreamStart start) const {
    StreamOptions options;
    options.table = {"t", false};
    options.start = std::move(start);
    return options;
  }

  // The batches that are there, as "first-last " or "snapshot last "; or the error's name.
  std::string Drain(ChangeStream& stream) {
    std::string batches;
    while (true) {
      auto batch = stream.Poll();
      if (!batch) return batches + batch.error().name;
      if (!*batch) return batches;
      batches += ((*batch)->is_snapshot ? "snapshot" : std::to_string((*batch)->first)) + "-" +
                 std::to_string((*batch)->last) + " ";
    }
  }

  std::string Drain(const StreamOptions& options, const std::optional<Offset>& resume = {}) {
    auto stream = ChangeStream::Open(*session_, options, resume);
    if (!stream) return stream.error().name;
    return Drain(*stream);
  }

  std::filesystem::path folder_;
  std::unique_ptr<engine::Database> database_;
  std::unique_ptr<engine::Session> session_;
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
