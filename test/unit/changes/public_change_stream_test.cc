// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/session.h"
#include "weir/arrow_abi.h"
#include "weir/change_stream.h"

namespace weir {
namespace {

class PublicChangeStreamTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("weir-stream-" + std::to_string(::getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_ / "lake");
    database_ = std::move(*engine::Database::Open());
    session_ = std::move(*database_->Connect());
    ASSERT_TRUE(session_->AttachWarehouse((folder_ / "lake").string(), "lake"));
    Run("CREATE TABLE t (id BIGINT, v VARCHAR) WITH ('delta.enableChangeDataFeed' = 'true')");
    Run("INSERT INTO t VALUES (1, 'a'), (2, 'b')");
    options_.table = (folder_ / "lake" / "t").string();
    options_.offsets = (folder_ / "offsets").string();
  }
  void TearDown() override {
    session_.reset();
    database_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Run(const std::string& sql) {
    const auto status = session_->Execute(sql);
    ASSERT_TRUE(status) << status.error().ToString();
  }

  std::unique_ptr<ChangeStream> Open() {
    std::unique_ptr<ChangeStream> stream;
    const StreamStatus status = ChangeStream::Open(options_, &stream);
    EXPECT_TRUE(status.ok()) << status.message();
    return stream;
  }

  // "first-last:rows" of the next batch, "-" for none, or the error's name.
  std::string Next(ChangeStream& stream) {
    ChangeBatch batch;
    ArrowArrayStream rows;
    const StreamStatus status = stream.Next(&batch, &rows);
    if (!status.ok()) return status.name();
    if (!batch.has_rows) return "-";
    ArrowSchema schema;
    EXPECT_EQ(rows.get_schema(&rows, &schema), 0);
    columns_.clear();
    for (int64_t i = 0; i < schema.n_children; ++i) {
      columns_.push_back(std::string(schema.children[i]->name) + ":" + schema.children[i]->format);
    }
    schema.release(&schema);
    int64_t count = 0;
    while (true) {
      ArrowArray array;
      EXPECT_EQ(rows.get_next(&rows, &array), 0);
      if (array.release == nullptr) break;
      count += array.length;
      array.release(&array);
    }
    rows.release(&rows);
    return (batch.is_snapshot ? "all" : std::to_string(batch.first_version)) + "-" +
           std::to_string(batch.last_version) + ":" + std::to_string(count);
  }

  std::filesystem::path folder_;
  std::unique_ptr<engine::Database> database_;
  std::unique_ptr<engine::Session> session_;
  ChangeStreamOptions options_;
  std::vector<std::string> columns_;
};

TEST_F(PublicChangeStreamTest, GivesTheRowsAndThenWhatChanges) {
  auto stream = Open();
  EXPECT_EQ(Next(*stream), "all-1:2");
  EXPECT_EQ(columns_, (std::vector<std::string>{"id:l", "v:u", "_change_type:u",
                                                "_commit_version:l", "_commit_timestamp:tsu:UTC"}));
  EXPECT_EQ(Next(*stream), "-");
  Run("UPDATE t SET v = 'x' WHERE id = 1");
  EXPECT_EQ(Next(*stream), "2-2:2");
  EXPECT_EQ(stream->next_version(), 3);
}

TEST_F(PublicChangeStreamTest, GoesOnWhereItsConsumerCommitted) {
  options_.consumer = "c";
  options_.start = "earliest";
  auto stream = Open();
  EXPECT_EQ(Next(*stream), "0-1:2");
  ASSERT_TRUE(stream->Commit().ok());
  Run("DELETE FROM t WHERE id = 2");
  EXPECT_EQ(Next(*stream), "2-2:1");
  stream = Open();
  EXPECT_EQ(Next(*stream), "2-2:1") << "it was not committed";
  ASSERT_TRUE(stream->Commit().ok());
  EXPECT_EQ(Next(*Open()), "-");
}

TEST_F(PublicChangeStreamTest, RowsOutliveTheStream) {
  auto stream = Open();
  ChangeBatch batch;
  ArrowArrayStream rows;
  ASSERT_TRUE(stream->Next(&batch, &rows).ok());
  stream.reset();
  ArrowArray array;
  ASSERT_EQ(rows.get_next(&rows, &array), 0);
  EXPECT_EQ(array.length, 2);
  array.release(&array);
  rows.release(&rows);
  EXPECT_EQ(rows.release, nullptr);
}

TEST_F(PublicChangeStreamTest, ErrorsHaveTheirNames) {
  std::unique_ptr<ChangeStream> stream;
  ChangeStreamOptions nowhere = options_;
  nowhere.table = (folder_ / "nothing").string();
  EXPECT_EQ(ChangeStream::Open(nowhere, &stream).name(), "DELTA_TABLE_NOT_FOUND");
  ChangeStreamOptions late = options_;
  late.start = "99";
  EXPECT_EQ(ChangeStream::Open(late, &stream).name(), "DELTA_CDC_START_VERSION_AFTER_LATEST");
  EXPECT_EQ(stream, nullptr);
}

}  // namespace
}  // namespace weir
