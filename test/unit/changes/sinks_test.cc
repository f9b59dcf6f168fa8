// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "changes/change_stream.h"
#include "changes/lake_test.h"
#include "changes/parquet_folder.h"
#include "changes/table_sink.h"

namespace weir::changes {
namespace {

// The sinks that have each change once tell themselves how far they are. Here every batch is
// written by a follower that dies right behind it, before it could save its offset.
class SinksTest : public LakeTest {
 protected:
  void SetUp() override {
    LakeTest::SetUp();
    Run("CREATE TABLE p (id BIGINT, k BIGINT, v VARCHAR) PARTITIONED BY (k) WITH "
        "('delta.enableChangeDataFeed' = 'true')");
    Run("INSERT INTO p SELECT range, range % 5, 'a' FROM range(20)");
    Run("INSERT INTO p SELECT 100 + range, range % 4, 'b' FROM range(8)");
    Run("UPDATE p SET v = 'c' WHERE id < 4");
  }

  // What happens to the table after each batch.
  void Change(int batch) {
    const std::string id = std::to_string(1000 + batch * 10);
    const std::string statements[] = {
        "DELETE FROM p WHERE id % 7 = " + std::to_string(batch % 7),
        "INSERT INTO p SELECT " + id + " + range, range, 'd' FROM range(5)",
        "OPTIMIZE p",
        "UPDATE p SET v = 'e" + id + "' WHERE k = 2",
    };
    if (batch < 12) Run(statements[batch % 4]);
  }

  StreamOptions Options(StreamStart::Kind kind) const {
    StreamOptions options;
    options.table = {"p", false};
    options.start.kind = kind;
    options.max_files = 2;
    return options;
  }

  // Writes all there is, each batch by a new stream that begins where `next` tells.
  template <typename Next, typename Write>
  void Follow(StreamStart::Kind kind, Next next, Write write) {
    for (int batch = 0; batch < 200; ++batch) {
      std::optional<Offset> begin = next();
      if (begin == Offset()) begin.reset();
      auto stream = ChangeStream::Open(*session_, Options(kind), begin);
      ASSERT_TRUE(stream) << stream.error().ToString();
      auto polled = stream->Poll();
      ASSERT_TRUE(polled) << polled.error().ToString();
      if (!*polled) return;
      const Status written = write(**polled);
      ASSERT_TRUE(written) << written.error().ToString();
      parts_ += (*polled)->is_part();
      Change(batch);
    }
    FAIL() << "the stream has no end";
  }

  // Rows that are more or fewer times in a than in b.
  std::string Difference(const std::string& a, const std::string& b) {
    return Query("(FROM " + a + " EXCEPT ALL FROM " + b + ") UNION ALL (FROM " + b +
                 " EXCEPT ALL FROM " + a + ")");
  }

  const std::string changes_ = "(SELECT * EXCLUDE (_commit_timestamp) FROM table_changes('p', 0))";
  int parts_ = 0;
};

TEST_F(SinksTest, AFolderOfParquetFilesHasEachChangeOnce) {
  const std::string place = (folder_ / "out").string();
  auto folder = ParquetFolder::Open(place);
  ASSERT_TRUE(folder);
  Follow(
      StreamStart::Kind::kEarliest, [&] { return *folder->Next(); },
      [&](const StreamBatch& batch) { return folder->Write(*session_, batch); });
  EXPECT_GT(parts_, 3);
  EXPECT_EQ(
      Difference("(SELECT * EXCLUDE (_commit_timestamp) FROM '" + place + "/*.parquet')", changes_),
      "");
}

TEST_F(SinksTest, AFolderThatBeginsWithTheTablesRowsLeadsToTheTable) {
  const std::string place = (folder_ / "out").string();
  auto folder = ParquetFolder::Open(place);
  ASSERT_TRUE(folder);
  Follow(
      StreamStart::Kind::kSnapshot, [&] { return *folder->Next(); },
      [&](const StreamBatch& batch) { return folder->Write(*session_, batch); });
  EXPECT_GT(parts_, 3);
  const std::string rows = "'" + place + "/*.parquet' WHERE ";
  EXPECT_EQ(Difference("(SELECT id, k, v FROM " + rows +
                           "_change_type IN ('insert', 'update_postimage') EXCEPT ALL SELECT id, "
                           "k, v FROM " +
                           rows + "_change_type IN ('delete', 'update_preimage'))",
                       "p"),
            "");
}

TEST_F(SinksTest, ATableOfChangesHasEachOnce) {
  TableSink sink(*session_, {"log", false}, "c", {});
  Follow(
      StreamStart::Kind::kEarliest, [&] { return sink.Next()->value_or(Offset()); },
      [&](const StreamBatch& batch) {
        return sink.Write({"p", false}, batch);
      });
  EXPECT_GT(parts_, 3);
  EXPECT_EQ(Difference("(SELECT * EXCLUDE (_commit_timestamp) FROM log)", changes_), "");
}

TEST_F(SinksTest, ACopyBecomesTheTable) {
  TableSink sink(*session_, {"copy", false}, "c", {"id"});
  Follow(
      StreamStart::Kind::kSnapshot, [&] { return sink.Next()->value_or(Offset()); },
      [&](const StreamBatch& batch) {
        return sink.Write({"p", false}, batch);
      });
  EXPECT_GT(parts_, 3);
  EXPECT_EQ(Difference("copy", "p"), "");
  EXPECT_EQ(Query("SELECT count(*) FROM weir_transactions('copy') WHERE app_id = 'c:snapshot:3'"),
            "1 ");
}

}  // namespace
}  // namespace weir::changes
