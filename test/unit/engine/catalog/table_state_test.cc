// SPDX-License-Identifier: Apache-2.0
#include "engine/catalog/table_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/scan/scan_files.h"
#include "storage/memory_store.h"

namespace weir::engine {
namespace {

constexpr const char* kProtocol = R"({"protocol":{"minReaderVersion":1,"minWriterVersion":2}})";
constexpr const char* kMetadata =
    R"({"metaData":{"id":"t","format":{"provider":"parquet","options":{}},)"
    R"("schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"p\",\"type\":\"string\",)"
    R"(\"nullable\":true,\"metadata\":{}}]}","partitionColumns":["p"],"configuration":{}}})";

delta::AddFile File(const std::string& path, const std::string& value) {
  delta::AddFile file;
  file.path = path;
  file.partition_values = {{"p", value}};
  file.size = 7;
  return file;
}

delta::RemoveFile Removal(const std::string& path) {
  delta::RemoveFile remove;
  remove.path = path;
  return remove;
}

class TableStateTest : public ::testing::Test {
 protected:
  void SetUp() override {
    log_.store = std::make_shared<storage::MemoryStore>();
    log_.root = "/t";
  }

  delta::SnapshotPtr LoadWith(const std::vector<delta::AddFile>& files) {
    std::string text = std::string(kProtocol) + "\n" + kMetadata + "\n";
    for (const auto& file : files) text += delta::SerializeAction(file) + "\n";
    EXPECT_TRUE(log_.store->Put("/t/_delta_log/00000000000000000000.json", text));
    auto snapshot = delta::Snapshot::Load(log_);
    EXPECT_TRUE(snapshot) << snapshot.error().ToString();
    return *snapshot;
  }

  static std::vector<std::string> Paths(const ScanFiles& files) {
    std::vector<std::string> paths;
    for (size_t i = 0; i < files.size(); ++i) paths.emplace_back(files.path(i));
    return paths;
  }

  delta::TableLog log_;
};

TEST_F(TableStateTest, CommittedStateIsTheSnapshots) {
  auto state = TableState::Of(LoadWith({File("a", "1"), File("b", "2")}));
  ScanFiles files(state);
  EXPECT_THAT(Paths(files), ::testing::UnorderedElementsAre("a", "b"));
  EXPECT_EQ(state->version(), 0);
}

TEST_F(TableStateTest, UncommittedActionsHideReplaceAndAddFiles) {
  auto snapshot = LoadWith({File("a", "1"), File("b", "2"), File("c", "3")});
  delta::AddFile replaced = File("b", "2");
  replaced.size = 99;
  auto state = TableState::Over(
      snapshot, log_,
      {Removal("a"), Removal("b"), replaced, File("d", "4"), File("e", ""), Removal("e")});
  ASSERT_TRUE(state);
  ScanFiles files(*state);
  EXPECT_THAT(Paths(files), ::testing::UnorderedElementsAre("b", "c", "d"));
  for (size_t i = 0; i < files.size(); ++i) {
    if (files.path(i) == "b") {
      EXPECT_EQ(files.file_size(i), 99);
      EXPECT_EQ(files.snapshot_index(i), std::nullopt);
    }
    if (files.path(i) == "d") {
      EXPECT_EQ(files.partition_value(i, 0), "4");
    }
  }
}

TEST_F(TableStateTest, FileNumbersStayTheSameInAPart) {
  auto state = TableState::Over(LoadWith({File("a", "1"), File("b", "2")}), log_,
                                {Removal("a"), File("c", "3")});
  ASSERT_TRUE(state);
  ScanFiles all(*state);
  ScanFiles part(all, {1});
  ASSERT_EQ(part.size(), 1U);
  EXPECT_EQ(part.total(), 2U);
  EXPECT_EQ(all.path(all.PlaceOf(part.number(0))), part.path(0));
}

TEST_F(TableStateTest, MetadataOfTheTransactionCounts) {
  auto snapshot = LoadWith({});
  delta::Metadata metadata = snapshot->metadata();
  metadata.schema_string =
      R"({"type":"struct","fields":[{"name":"q","type":"long","nullable":true,"metadata":{}}]})";
  metadata.partition_columns = {};
  auto state = TableState::Over(snapshot, log_, {metadata});
  ASSERT_TRUE(state);
  ASSERT_EQ((*state)->schema()->fields().size(), 1U);
  EXPECT_EQ((*state)->schema()->fields()[0].name, "q");
}

TEST_F(TableStateTest, ANewTableNeedsASchema) {
  EXPECT_FALSE(TableState::Over(nullptr, log_, {delta::Protocol()}));
}

TEST_F(TableStateTest, DataPathsOutsideOfTheWarehouseAreRefused) {
  EXPECT_EQ(ResolveDataPath("/w/t", "p=a%252Fb/f.parquet", "/w", false), "/w/t/p=a%2Fb/f.parquet");
  EXPECT_EQ(ResolveDataPath("/w/t", "file:/w/u/f.parquet", "/w", false), "/w/u/f.parquet");
  for (const char* path :
       {"/etc/passwd", "file:///etc/passwd", "../../etc/passwd", "a/../../../x"}) {
    auto resolved = ResolveDataPath("/w/t", path, "/w", false);
    ASSERT_FALSE(resolved) << path << " gave " << *resolved;
    EXPECT_EQ(resolved.error().name, "WEIR_EXTERNAL_FILE_REFUSED") << path;
  }
  EXPECT_EQ(ResolveDataPath("/w/t", "/etc/f.parquet", "/w", true), "/etc/f.parquet");
}

}  // namespace
}  // namespace weir::engine
