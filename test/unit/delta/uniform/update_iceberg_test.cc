// SPDX-License-Identifier: Apache-2.0
#include "delta/uniform/update_iceberg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "delta/check/check_log.h"
#include "delta/check/repair.h"
#include "delta/memory_table.h"
#include "delta/uniform/iceberg_folder.h"
#include "iceberg/manifest_list.h"
#include "storage/fault_store.h"

namespace weir::delta {
namespace {

constexpr int64_t kDay = 86'400'000;

constexpr const char* kMappedSchema =
    R"({"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":)"
    R"({"delta.columnMapping.id":1,"delta.columnMapping.physicalName":"c1"}},)"
    R"({"name":"p","type":"string","nullable":true,"metadata":)"
    R"({"delta.columnMapping.id":2,"delta.columnMapping.physicalName":"p"}}]})";

Metadata UniformMetadata() {
  Metadata metadata =
      MemoryTable::TestMetadata({{"delta.columnMapping.mode", "name"},
                                 {"delta.columnMapping.maxColumnId", "2"},
                                 {"delta.enableIcebergCompatV2", "true"},
                                 {"delta.universalFormat.enabledFormats", "iceberg"}});
  metadata.schema_string = kMappedSchema;
  return metadata;
}

class UpdateIceberg : public testing::Test {
 protected:
  void SetUp() override { table_.log().clock = &clock_; }

  void Commit(std::vector<Action> actions) {
    auto begun = Transaction::Begin(table_.Load());
    ASSERT_TRUE(begun) << begun.error().ToString();
    for (Action& action : actions) (*begun)->Add(std::move(action));
    const auto committed = (*begun)->Commit();
    ASSERT_TRUE(committed) << committed.error().ToString();
  }

  void Create(Metadata metadata = UniformMetadata()) {
    auto begun = Transaction::BeginCreate(table_.log());
    ASSERT_TRUE(begun);
    Protocol protocol{2, 7, std::nullopt, {{"columnMapping", "icebergCompatV2"}}};
    (*begun)->Add(std::move(protocol));
    (*begun)->Add(std::move(metadata));
    const auto committed = (*begun)->Commit();
    ASSERT_TRUE(committed) << committed.error().ToString();
  }

  static AddFile File(std::string path, std::string partition = "a", bool data_change = true) {
    AddFile add = TestFile(std::move(path), std::move(partition));
    add.data_change = data_change;
    add.stats = R"({"numRecords":10,"minValues":{"c1":-5},"maxValues":{"c1":7},)"
                R"("nullCount":{"c1":2}})";
    return add;
  }

  IcebergState State() {
    auto state = FindIcebergState(table_.log());
    EXPECT_TRUE(state) << state.error().ToString();
    EXPECT_TRUE(*state);
    return **state;
  }

  std::vector<iceberg::ManifestFile> Manifests(const iceberg::Snapshot& snapshot) {
    const auto bytes = table_.log().store->Get(snapshot.manifest_list);
    EXPECT_TRUE(bytes) << bytes.error().ToString();
    return iceberg::ReadManifestList(*bytes).value();
  }

  std::vector<iceberg::ManifestEntry> Entries(const iceberg::ManifestFile& manifest) {
    iceberg::PartitionSpec spec;
    spec.fields = {{2, 1000, "p", {iceberg::PrimitiveKind::kString}}};
    return iceberg::ReadManifest(table_.log().store->Get(manifest.path).value(), spec).value();
  }

  // Paths of live files in the newest metadata; each once, or the test fails.
  std::set<std::string> LiveFiles() {
    std::set<std::string> live;
    const IcebergState state = State();
    const iceberg::Snapshot* snapshot = state.metadata.current_snapshot();
    if (snapshot == nullptr) return live;
    for (const auto& manifest : Manifests(*snapshot)) {
      for (const auto& entry : Entries(manifest)) {
        if (entry.status == iceberg::EntryStatus::kDeleted) continue;
        EXPECT_TRUE(live.insert(entry.file.path).second) << entry.file.path;
      }
    }
    return live;
  }

  std::string Operation() { return State().metadata.current_snapshot()->summary.at("operation"); }

  std::string Hint() { return store_->Get("/t/metadata/version-hint.text").value_or(""); }

  size_t FileCount() { return store_->List("/t/metadata").value().size(); }

  FixedClock clock_{1'700'000'000'000};
  std::shared_ptr<storage::FaultStore> store_ =
      std::make_shared<storage::FaultStore>(std::make_shared<storage::MemoryStore>(&clock_));
  MemoryTable table_{store_};
};

using Paths = std::set<std::string>;

TEST_F(UpdateIceberg, FollowsCommits) {
  Create();
  EXPECT_EQ(State().metadata.current_snapshot(), nullptr);
  Commit({File("f1"), File("f2", "b")});
  EXPECT_EQ(Operation(), "append");
  Commit({File("f3")});
  const std::string first = Manifests(*State().metadata.current_snapshot())[0].path;
  EXPECT_EQ(LiveFiles(), (Paths{"/t/f1", "/t/f2", "/t/f3"}));
  EXPECT_EQ(Manifests(*State().metadata.current_snapshot()).size(), 2U) << "one for each append";
  Commit({TestRemove("f3"), File("f4")});
  EXPECT_EQ(Operation(), "overwrite");
  EXPECT_EQ(LiveFiles(), (Paths{"/t/f1", "/t/f2", "/t/f4"}));
  EXPECT_EQ(Manifests(*State().metadata.current_snapshot())[0].path, first) << "untouched";
  Commit({TestRemove("f1")});
  EXPECT_EQ(Operation(), "delete");
  EXPECT_EQ(LiveFiles(), (Paths{"/t/f2", "/t/f4"}));
  RemoveFile compacted = TestRemove("f2");
  compacted.data_change = false;
  Commit({compacted, File("f5", "b", false)});
  EXPECT_EQ(Operation(), "replace");
  EXPECT_EQ(LiveFiles(), (Paths{"/t/f4", "/t/f5"}));
  const IcebergState state = State();
  EXPECT_EQ(state.version, 5);
  EXPECT_EQ(Hint(), "5");
  EXPECT_EQ(state.metadata.uuid, UniformMetadata().id);
  EXPECT_EQ(state.metadata.last_sequence_number, 5);
  EXPECT_EQ(state.metadata.snapshots.size(), 5U);
  EXPECT_EQ(*state.metadata.FindProperty(kDeltaVersion), "5");
  EXPECT_EQ(state.metadata.current_snapshot()->summary.at("total-records"), "20");
}

TEST_F(UpdateIceberg, TellsOfStatisticsAndPartitions) {
  Create();
  Commit({File("x%20y", "b")});
  const auto manifests = Manifests(*State().metadata.current_snapshot());
  EXPECT_EQ(manifests.at(0).partitions.at(0), (iceberg::FieldSummary{false, false, "b", "b"}));
  const iceberg::DataFile file = Entries(manifests[0]).at(0).file;
  EXPECT_EQ(file.path, "/t/x y") << "as it is in the store";
  EXPECT_EQ(file.record_count, 10);
  EXPECT_EQ(file.size, 100);
  EXPECT_EQ(file.partition.at(0), "b");
  EXPECT_EQ(file.null_value_counts, (std::vector<std::pair<int, int64_t>>{{1, 2}}));
  EXPECT_EQ(file.value_counts, (std::vector<std::pair<int, int64_t>>{{1, 10}}));
  using Bounds = std::vector<std::pair<int, std::string>>;
  EXPECT_EQ(file.lower_bounds, (Bounds{{1, iceberg::LongBytes(-5)}}));
  EXPECT_EQ(file.upper_bounds, (Bounds{{1, iceberg::LongBytes(7)}}));
}

TEST_F(UpdateIceberg, CommitsThatMoveNoFileMakeNoSnapshot) {
  Create();
  Commit({File("f1")});
  Metadata metadata = UniformMetadata();
  metadata.description = "new";
  Commit({metadata});
  EXPECT_EQ(State().version, 2);
  EXPECT_EQ(State().metadata.snapshots.size(), 1U);
  EXPECT_EQ(State().metadata.schemas.size(), 1U);
  // A file added once more, with other tags.
  AddFile tagged = File("f1", "a", false);
  tagged.tags = StringMap{{"k", "v"}};
  Commit({tagged});
  EXPECT_EQ(LiveFiles(), (Paths{"/t/f1"}));
}

TEST_F(UpdateIceberg, CatchesUpWithTheCommitsOfOthers) {
  Create();
  Commit({File("f1")});
  // What a writer that knows nothing of UniForm leaves behind.
  const auto put = [&](int64_t version, const std::vector<Action>& actions) {
    std::string text;
    for (const Action& action : actions) text += SerializeAction(action) + "\n";
    char name[64];
    (void)snprintf(name, sizeof(name), "/t/_delta_log/%020lld.json",
                   static_cast<long long>(version));
    ASSERT_TRUE(store_->PutIfAbsent(name, text));
  };
  put(2, {File("f2")});
  put(3, {TestRemove("f1"), File("f3")});
  put(4, {TestRemove("f3")});
  Commit({File("f5")});
  EXPECT_EQ(State().version, 5);
  EXPECT_EQ(LiveFiles(), (Paths{"/t/f2", "/t/f5"}));
  EXPECT_EQ(State().metadata.snapshots.size(), 2U) << "one for all of them";
}

TEST_F(UpdateIceberg, MergesManySmallManifests) {
  Create();
  Paths expected;
  for (int i = 0; i < 130; ++i) {
    Commit({File("f" + std::to_string(i))});
    expected.insert("/t/f" + std::to_string(i));
  }
  EXPECT_EQ(LiveFiles(), expected);
  EXPECT_LT(Manifests(*State().metadata.current_snapshot()).size(), 40U);
  EXPECT_EQ(State().metadata.snapshots.size(), 100U) << "the past is bounded";
  EXPECT_EQ(State().metadata.metadata_log.size(), 100U);
}

TEST_F(UpdateIceberg, CleansUpWhatNobodyNeeds) {
  Create();
  for (int i = 0; i < 9; ++i)
    Commit({TestRemove("f" + std::to_string(i - 1)), File("f" + std::to_string(i))});
  const size_t before = FileCount();
  clock_.Set(clock_.NowMillis() + 6 * kDay);
  ASSERT_TRUE(store_->Put("/t/metadata/foreign.avro", "x"));
  Commit({File("f10")});
  EXPECT_EQ(State().metadata.snapshots.size(), 1U) << "older ones are expired";
  EXPECT_LT(FileCount(), before);
  EXPECT_TRUE(store_->Head("/t/metadata/foreign.avro"));
  EXPECT_EQ(LiveFiles(), (Paths{"/t/f8", "/t/f10"}));
}

TEST_F(UpdateIceberg, SchemasChangeWithoutNewManifestsUnlessTypesDo) {
  Create();
  Commit({File("f1")});
  const std::string manifest = Manifests(*State().metadata.current_snapshot())[0].path;
  Metadata renamed = UniformMetadata();
  const size_t name = renamed.schema_string.find("\"id\"");
  renamed.schema_string.replace(name, 4, "\"no\"");
  Commit({renamed});
  EXPECT_EQ(State().metadata.current_schema_id, 1);
  EXPECT_EQ(Manifests(*State().metadata.current_snapshot())[0].path, manifest);
  Metadata other = renamed;
  other.schema_string.replace(other.schema_string.find("\"long\""), 6, "\"double\"");
  Commit({other});
  EXPECT_NE(Manifests(*State().metadata.current_snapshot())[0].path, manifest);
  EXPECT_EQ(LiveFiles(), (Paths{"/t/f1"}));
}

TEST_F(UpdateIceberg, LeavesTablesOfOthersAlone) {
  ASSERT_TRUE(store_->Put("/t/metadata/v7.metadata.json", R"({"format-version":2})"));
  Create();
  Commit({File("f1")});
  EXPECT_EQ(FileCount(), 1U);
  const auto updated = UpdateIcebergMetadata(*table_.Load());
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().name, "WEIR_ICEBERG_METADATA_MALFORMED");
}

TEST_F(UpdateIceberg, TakesThePlaceOfAFormerTable) {
  Create();
  for (int i = 0; i < 3; ++i) Commit({File("f" + std::to_string(i))});
  const auto log = store_->List("/t/_delta_log");
  for (const auto& file : *log) ASSERT_TRUE(store_->Delete(file.path));
  Metadata other = UniformMetadata();
  other.id = "99999999-2222-3333-4444-555555555555";
  Create(other);
  Commit({File("g1")});
  EXPECT_EQ(State().version, 1);
  EXPECT_EQ(Hint(), "1");
  EXPECT_EQ(LiveFiles(), (Paths{"/t/g1"}));
}

TEST_F(UpdateIceberg, DoesNothingForOtherTables) {
  Metadata metadata = UniformMetadata();
  metadata.configuration.erase("delta.universalFormat.enabledFormats");
  Create(metadata);
  Commit({File("f1")});
  EXPECT_EQ(FileCount(), 0U);
}

TEST_F(UpdateIceberg, NeedsTheNumberOfRows) {
  Create();
  AddFile add = File("f1");
  add.stats.reset();
  Commit({add});
  EXPECT_EQ(State().version, 0);
  const auto updated = UpdateIcebergMetadata(*table_.Load());
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().name, "DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED");
}

TEST_F(UpdateIceberg, ACheckFindsWhatReadersWouldMiss) {
  Create();
  Commit({File("f1")});
  Commit({File("f2")});
  const std::vector<std::function<Status()>> damages = {
      [&] { return store_->Delete("/t/metadata/v2.metadata.json"); },
      [&] { return store_->Put("/t/metadata/version-hint.text", "1"); },
      [&] { return store_->Put(State().metadata.current_snapshot()->manifest_list, "garbled"); },
      [&] { return store_->Delete(Manifests(*State().metadata.current_snapshot())[0].path); },
      [&] { return store_->DeleteRecursive("/t/metadata"); }};
  for (size_t i = 0; i < damages.size(); ++i) {
    ASSERT_TRUE(damages[i]());
    Findings findings;
    ASSERT_TRUE(CheckLog(table_.log(), findings));
    ASSERT_EQ(findings.list().size(), 1U) << i;
    EXPECT_EQ(findings.list()[0].rule, "iceberg") << i;
    const Status repaired = RepairLog(table_.log(), findings);
    ASSERT_TRUE(repaired) << repaired.error().ToString();
    EXPECT_TRUE(findings.list()[0].repaired) << i;
    EXPECT_EQ(LiveFiles(), (Paths{"/t/f1", "/t/f2"})) << i;
    Findings none;
    ASSERT_TRUE(CheckLog(table_.log(), none));
    EXPECT_TRUE(none.list().empty()) << i << ": " << none.list()[0].problem;
  }
}

// Whatever request goes wrong: the commit holds, what readers find is some version whole, and the
// next commit makes up for it.
TEST_F(UpdateIceberg, EveryFailedRequestIsMadeUpFor) {
  for (const storage::Fault fault :
       {storage::Fault::kError, storage::Fault::kReplyLost, storage::Fault::kShortRead}) {
    for (int64_t i = 0; i < 60; ++i) {
      store_ =
          std::make_shared<storage::FaultStore>(std::make_shared<storage::MemoryStore>(&clock_));
      table_ = MemoryTable(store_);
      table_.log().clock = &clock_;
      Create();
      Commit({File("f1")});
      const SnapshotPtr base = table_.Load();
      auto begun = Transaction::Begin(base);
      (*begun)->Add(TestRemove("f1"));
      (*begun)->Add(File("f2"));
      store_->Inject(store_->calls() + i, fault);
      const auto committed = (*begun)->Commit();
      const bool was_hit = store_->was_hit();
      store_->Heal();
      const int64_t shown = State().version;
      EXPECT_EQ(LiveFiles(), shown == 2 ? Paths{"/t/f2"} : Paths{"/t/f1"}) << i;
      if (table_.Load()->version() == 2) {
        Commit({File("f3")});
        EXPECT_EQ(LiveFiles(), (Paths{"/t/f2", "/t/f3"})) << i;
        EXPECT_EQ(Hint(), "3");
      }
      if (!was_hit) break;
      ASSERT_LT(i, 59) << "more requests than expected";
    }
  }
}

}  // namespace
}  // namespace weir::delta
