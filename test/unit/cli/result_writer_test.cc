// SPDX-License-Identifier: Apache-2.0
#include "cli/output/result_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <string>

namespace weir::cli {
namespace {

class ResultWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    std::setlocale(LC_CTYPE, "C.UTF-8");
    database_ = *engine::Database::Open();
    session_ = *database_->Connect();
  }

  std::string Write(const std::string& sql, OutputFormat format) {
    std::FILE* file = std::tmpfile();
    {
      Output out(fileno(file));
      auto result = session_->Query(sql);
      if (!result) return result.error().ToString();
      const Status status = WriteResult(**result, format, out);
      if (!status) return status.error().ToString();
    }
    std::string text;
    std::rewind(file);
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
    std::fclose(file);
    return text;
  }

  std::unique_ptr<engine::Database> database_;
  std::unique_ptr<engine::Session> session_;
};

TEST_F(ResultWriterTest, TableAlignsByWhatATerminalShows) {
  EXPECT_EQ(Write("SELECT * FROM (VALUES (1, 'é'), (100, '日本')) t(n, s)", OutputFormat::kTable),
            "┌─────┬──────┐\n"
            "│ n   │ s    │\n"
            "├─────┼──────┤\n"
            "│   1 │ é    │\n"
            "│ 100 │ 日本 │\n"
            "└─────┴──────┘\n"
            "2 rows\n");
}

TEST_F(ResultWriterTest, TableShowsLinesNullsAndControlCharacters) {
  EXPECT_EQ(Write("SELECT E'a\\nb' AS x, NULL::INT AS y, E'\\x1b[2J' AS z", OutputFormat::kTable),
            "┌───┬──────┬─────────┐\n"
            "│ x │ y    │ z       │\n"
            "├───┼──────┼─────────┤\n"
            "│ a │ NULL │ \\x1b[2J │\n"
            "│ b │      │         │\n"
            "└───┴──────┴─────────┘\n"
            "1 row\n");
}

TEST_F(ResultWriterTest, TableWritesEveryRowOfALongResult) {
  const std::string text = Write("FROM range(25000)", OutputFormat::kTable);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 25000 + 5);
  EXPECT_NE(text.find("│ 24999 │"), std::string::npos);
  EXPECT_NE(text.find("25000 rows\n"), std::string::npos);
}

TEST_F(ResultWriterTest, JsonIsOneArrayAndKeepsEqualNamesApart) {
  EXPECT_EQ(Write("SELECT 1 AS a, 'x\"y' AS a, NULL AS b UNION ALL SELECT 2, '', 'z'",
                  OutputFormat::kJson),
            "[{\"a\":1,\"a_1\":\"x\\\"y\",\"b\":null},\n {\"a\":2,\"a_1\":\"\",\"b\":\"z\"}]\n");
  EXPECT_EQ(Write("SELECT 1 AS a WHERE false", OutputFormat::kJson), "[]\n");
  EXPECT_EQ(Write("SELECT 1 AS a, 2 AS a_1, 3 AS a", OutputFormat::kJson),
            "[{\"a\":1,\"a_1\":2,\"a_2\":3}]\n");
}

TEST_F(ResultWriterTest, JsonlIsOneObjectALine) {
  EXPECT_EQ(Write("FROM range(2) t(i)", OutputFormat::kJsonl), "{\"i\":0}\n{\"i\":1}\n");
  EXPECT_EQ(Write("SELECT 1 WHERE false", OutputFormat::kJsonl), "");
}

TEST_F(ResultWriterTest, CsvQuotesWhatNeedsItAndTellsNullFromEmpty) {
  EXPECT_EQ(Write("SELECT 'a,b' AS \"x,y\", 'q\"q' AS q, E'l\\nm' AS l, '' AS e, NULL AS n, "
                  "1.50::DECIMAL(5,2) AS d",
                  OutputFormat::kCsv),
            "\"x,y\",q,l,e,n,d\n\"a,b\",\"q\"\"q\",\"l\nm\",\"\",,1.50\n");
}

TEST_F(ResultWriterTest, MarkdownEscapesItsOwnSigns) {
  EXPECT_EQ(Write("SELECT 7 AS n, E'a|b\\nc' AS s", OutputFormat::kMarkdown),
            "| n | s |\n|---:|---|\n| 7 | a\\|b<br>c |\n");
}

TEST_F(ResultWriterTest, AFullDiskIsReported) {
  std::FILE* full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  Output out(fileno(full));
  auto result = session_->Query("FROM range(100000)");
  EXPECT_TRUE(WriteResult(**result, OutputFormat::kCsv, out));
  EXPECT_FALSE(out.status());
  EXPECT_EQ(out.status().error().name, "WEIR_OUTPUT_FAILED");
  EXPECT_FALSE(out.reader_gone());
  std::fclose(full);
}

}  // namespace
}  // namespace weir::cli
