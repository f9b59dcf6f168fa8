// SPDX-License-Identifier: Apache-2.0
//
// Goal: a table on a store without listings is read as one with them. Method: the same log, loaded
// through a store that refuses to list.
#include "delta/snapshot/log_fixture.h"
#include "delta/snapshot/log_listing.h"
#include "storage/errors.h"

namespace weir::delta {
namespace {

using ::testing::ElementsAre;

constexpr const char* kFirstPart = "00000000000000000003.checkpoint.0000000001.0000000002.parquet";
constexpr const char* kSecondPart = "00000000000000000003.checkpoint.0000000002.0000000002.parquet";

/// Reads what another store holds.
class WithoutListing final : public storage::ObjectStore {
 public:
  explicit WithoutListing(std::shared_ptr<storage::ObjectStore> inner) : inner_(std::move(inner)) {}

  Result<std::string> Get(const std::string& path) override { return inner_->Get(path); }
  Result<std::string> GetRange(const std::string& path, int64_t offset, int64_t length) override {
    return inner_->GetRange(path, offset, length);
  }
  Result<storage::ObjectInfo> Head(const std::string& path) override { return inner_->Head(path); }
  Result<std::vector<storage::ObjectInfo>> List(const std::string&, std::string_view) override {
    return Fail(Refused());
  }
  Result<std::vector<storage::ObjectInfo>> ListDirectory(const std::string&) override {
    return Fail(Refused());
  }
  Result<std::vector<storage::ObjectInfo>> ListRecursive(const std::string&) override {
    return Fail(Refused());
  }
  Status Put(const std::string&, std::string_view) override { return Fail(Refused()); }
  Status PutIfAbsent(const std::string&, std::string_view) override { return Fail(Refused()); }
  Status Delete(const std::string&) override { return Fail(Refused()); }
  Status DeleteRecursive(const std::string&) override { return Fail(Refused()); }

 private:
  static Error Refused() {
    return UnsupportedFeature(std::string(storage::kListingUnsupported), "not here");
  }
  std::shared_ptr<storage::ObjectStore> inner_;
};

class LogWithoutListing : public LogTest {
 protected:
  LogWithoutListing() { log.store = std::make_shared<WithoutListing>(store); }

  void CommitAll(int64_t first, int64_t last) {
    for (int64_t version = first; version <= last; ++version) {
      std::vector<std::string> lines{AddLine("f" + std::to_string(version))};
      if (version == 0) lines.insert(lines.begin(), {kProtocol, MetadataLine()});
      Commit(version, lines);
    }
  }
};

TEST_F(LogWithoutListing, CommitsAloneHoweverMany) {
  CommitAll(0, 60);
  EXPECT_EQ(Load()->version(), 60);
  EXPECT_EQ(Load()->files().size(), 61u);
  EXPECT_EQ(Load({17, std::nullopt})->version(), 17);
  EXPECT_EQ(LoadError({61, std::nullopt}).name, "DELTA_VERSION_NOT_FOUND");
}

TEST_F(LogWithoutListing, FromTheCheckpointOfTheHint) {
  CommitAll(0, 12);
  Checkpoint(ClassicCheckpointFileName(10), {kProtocol, MetadataLine(), AddLine("all")});
  Write("_last_checkpoint", {R"({"version":10,"size":3})"});
  EXPECT_THAT(Paths(*Load()), ElementsAre("all", "f11", "f12"));
  // An older version is put together from the start of the log.
  EXPECT_EQ(Load({3, std::nullopt})->files().size(), 4u);
  // Old commits may be gone, with that of the checkpoint itself.
  for (int64_t version = 0; version <= 10; ++version) Delete(CommitFileName(version));
  EXPECT_THAT(Paths(*Load()), ElementsAre("all", "f11", "f12"));
  EXPECT_EQ(LoadError({3, std::nullopt}).name, "DELTA_VERSION_NOT_FOUND");
}

TEST_F(LogWithoutListing, CheckpointInParts) {
  CommitAll(0, 4);
  Checkpoint(kFirstPart, {kProtocol, MetadataLine(), AddLine("a")});
  Checkpoint(kSecondPart, {AddLine("b")});
  Write("_last_checkpoint", {R"({"version":3,"size":4,"parts":2})"});
  EXPECT_THAT(Paths(*Load()), ElementsAre("a", "b", "f4"));
  // One that is not whole is none.
  Delete(kSecondPart);
  EXPECT_EQ(Load()->files().size(), 5u);
}

TEST_F(LogWithoutListing, MovesOnToNewCommits) {
  CommitAll(0, 2);
  const auto old = Load();
  CommitAll(3, 5);
  const auto updated = old->Update();
  ASSERT_TRUE(updated);
  EXPECT_EQ((*updated)->version(), 5);
}

TEST_F(LogWithoutListing, NoTableIsNoTable) {
  EXPECT_EQ(LoadError().name, "DELTA_TABLE_NOT_FOUND");
}

}  // namespace
}  // namespace weir::delta
