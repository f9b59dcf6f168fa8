// SPDX-License-Identifier: Apache-2.0
#include "delta/changes/change_plan.h"

#include <gtest/gtest.h>

#include "delta/changes/change_schema.h"
#include "delta/memory_table.h"
#include "delta/snapshot/log_files.h"
#include "storage/fault_store.h"

namespace weir::delta {
namespace {

DeletionVectorDescriptor Vector(std::string id, int64_t rows) {
  return {'u', std::move(id), 1, 40, rows};
}

AddFile WithVector(AddFile add, DeletionVectorDescriptor vector) {
  add.deletion_vector = std::move(vector);
  return add;
}

RemoveFile WithVector(RemoveFile remove, DeletionVectorDescriptor vector) {
  remove.deletion_vector = std::move(vector);
  return remove;
}

std::vector<ChangeFile> Find(const std::vector<Action>& commit) {
  auto files = FindChanges(commit, 1);
  EXPECT_TRUE(files) << files.error().ToString();
  return files.value_or(std::vector<ChangeFile>());
}

TEST(FindChanges, AddsAreInsertsAndRemovesAreDeletes) {
  auto files = Find({TestFile("new", "a"), TestRemove("old")});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].kind, ChangeKind::kInsert);
  EXPECT_EQ(files[0].path, "new");
  EXPECT_EQ(files[0].partition_values.at("p"), "a");
  EXPECT_EQ(files[1].kind, ChangeKind::kDelete);
  EXPECT_EQ(files[1].path, "old");
}

TEST(FindChanges, ChangeDataFilesStandForEverything) {
  AddCdcFile cdc;
  cdc.path = "_change_data/c";
  cdc.size = 5;
  auto files = Find({TestFile("new"), cdc, TestRemove("old")});
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].kind, ChangeKind::kChangeData);
  EXPECT_EQ(files[0].path, "_change_data/c");
}

TEST(FindChanges, RearrangedFilesAreNoChange) {
  AddFile add = TestFile("new");
  add.data_change = false;
  RemoveFile remove = TestRemove("old");
  remove.data_change = false;
  EXPECT_TRUE(Find({add, remove}).empty());
}

TEST(FindChanges, AFirstVectorDeletesItsRows) {
  auto files = Find({TestRemove("f"), WithVector(TestFile("f"), Vector("v1", 2))});
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].kind, ChangeKind::kDelete);
  EXPECT_EQ(files[0].rows_in, Vector("v1", 2));
  EXPECT_EQ(files[0].rows_not_in, std::nullopt);
}

TEST(FindChanges, AVectorThatIsTakenAwayInsertsItsRows) {
  auto files = Find({WithVector(TestRemove("f"), Vector("v1", 2)), TestFile("f")});
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].kind, ChangeKind::kInsert);
  EXPECT_EQ(files[0].rows_in, Vector("v1", 2));
}

TEST(FindChanges, TwoVectorsAreTheirDifference) {
  auto files = Find(
      {WithVector(TestRemove("%66"), Vector("v1", 2)), WithVector(TestFile("f"), Vector("v2", 3))});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].kind, ChangeKind::kDelete);
  EXPECT_EQ(files[0].rows_in, Vector("v2", 3));
  EXPECT_EQ(files[0].rows_not_in, Vector("v1", 2));
  EXPECT_EQ(files[1].kind, ChangeKind::kInsert);
  EXPECT_EQ(files[1].rows_in, Vector("v1", 2));
  EXPECT_EQ(files[1].rows_not_in, Vector("v2", 3));
}

TEST(FindChanges, ALoneRemoveDeletesWhatItsVectorHadLeft) {
  auto files = Find({WithVector(TestRemove("f"), Vector("v1", 2))});
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].kind, ChangeKind::kDelete);
  EXPECT_EQ(files[0].rows_in, std::nullopt);
  EXPECT_EQ(files[0].rows_not_in, Vector("v1", 2));
}

TEST(FindChanges, TheSameFileAgainWithoutVectorsIsRefused) {
  auto files = FindChanges({TestRemove("f"), TestFile("f")}, 7);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().name, "WEIR_FILE_ADDED_AGAIN");
  EXPECT_NE(files.error().message.find("version 7"), std::string::npos);
}

TEST(FindChanges, AMergeThatChangedNothingHasNoChanges) {
  auto commit = [](const char* deleted) {
    CommitInfo info;
    info.members = *JsonValue::Parse(
        std::string(R"({"operation":"MERGE","operationMetrics":{"numTargetRowsInserted":"0",)") +
        R"("numTargetRowsUpdated":"0","numTargetRowsDeleted":")" + deleted + "\"}}");
    return std::vector<Action>{info, TestFile("new"), TestRemove("old")};
  };
  EXPECT_TRUE(Find(commit("0")).empty());
  EXPECT_EQ(Find(commit("1")).size(), 2U);
}

// The paths and kinds that a reader of appends gets, or the name of the error.
std::string Appends(const AppendPolicy& policy, const std::vector<Action>& commit) {
  auto files = FindChangesBy(ChangeSource::kAppends, policy, commit, 1);
  if (!files) return files.error().name;
  std::string paths;
  for (const auto& file : *files) {
    EXPECT_EQ(file.kind, ChangeKind::kInsert);
    paths += file.path + " ";
  }
  return paths;
}

TEST(FindAppends, ACommitThatTakesRowsAwayIsAsThePolicySays) {
  const std::vector<Action> append = {TestFile("a")};
  const std::vector<Action> erase = {TestRemove("a")};
  const std::vector<Action> update = {TestRemove("a"), TestFile("b")};
  AppendPolicy deletes;
  deletes.ignore_deletes = true;
  AppendPolicy changes;
  changes.ignore_changes = true;
  AppendPolicy skip;
  skip.skip_change_commits = true;
  for (const auto& policy : {AppendPolicy(), deletes, changes, skip})
    EXPECT_EQ(Appends(policy, append), "a ");
  EXPECT_EQ(Appends({}, erase), "DELTA_SOURCE_IGNORE_DELETE");
  EXPECT_EQ(Appends({}, update), "DELTA_SOURCE_TABLE_IGNORE_CHANGES");
  EXPECT_EQ(Appends(deletes, erase), "");
  EXPECT_EQ(Appends(deletes, update), "DELTA_SOURCE_TABLE_IGNORE_CHANGES");
  EXPECT_EQ(Appends(changes, erase), "");
  EXPECT_EQ(Appends(changes, update), "b ");
  EXPECT_EQ(Appends(skip, erase), "");
  EXPECT_EQ(Appends(skip, update), "");
}

TEST(FindAppends, MovedRowsAreNone) {
  AddFile add = TestFile("new");
  add.data_change = false;
  RemoveFile remove = TestRemove("old");
  remove.data_change = false;
  EXPECT_EQ(Appends({}, {add, remove}), "");
}

class ChangePlans : public testing::Test {
 protected:
  // Versions at 1000, 2000, ...
  void SetUp() override {
    table_.log().clock = &clock_;
    table_.Create(Protocol{1, 4, {}, {}}, {{"delta.enableChangeDataFeed", "true"}});
    for (const char* path : {"f1", "f2", "f3"}) {
      Tick();
      ASSERT_TRUE(table_.Append(TestFile(path)));
    }
  }

  void Tick() { clock_.Set(clock_.NowMillis() + 1000); }

  void Commit(std::vector<Action> actions) {
    Tick();
    auto transaction = table_.Begin();
    for (auto& action : actions) transaction->Add(std::move(action));
    auto result = transaction->Commit();
    ASSERT_TRUE(result) << result.error().ToString();
  }

  // The versions with changes, or the name of the error.
  std::string Plan(const ChangeBounds& bounds) {
    auto plan = PlanChanges(table_.Load(), bounds);
    if (!plan) return plan.error().name;
    std::string versions;
    for (const auto& commit : plan->commits) {
      if (commit.files.empty()) continue;
      EXPECT_EQ(commit.timestamp_ms, (commit.version + 1) * 1000);
      versions += std::to_string(commit.version) + " ";
    }
    return versions;
  }

  static ChangeBounds Versions(int64_t start, std::optional<int64_t> end = {}) {
    ChangeBounds bounds;
    bounds.start_version = start;
    bounds.end_version = end;
    return bounds;
  }

  static ChangeBounds Times(int64_t start, std::optional<int64_t> end = {}) {
    ChangeBounds bounds;
    bounds.start_timestamp_ms = start;
    bounds.end_timestamp_ms = end;
    return bounds;
  }

  static Metadata WithSchema(std::string schema) {
    Metadata metadata = MemoryTable::TestMetadata({{"delta.enableChangeDataFeed", "true"}});
    metadata.schema_string = std::move(schema);
    return metadata;
  }

  FixedClock clock_{1000};
  MemoryTable table_{std::make_shared<storage::MemoryStore>(&clock_)};
};

TEST_F(ChangePlans, RangesOfVersions) {
  EXPECT_EQ(Plan(Versions(0)), "1 2 3 ");
  EXPECT_EQ(Plan(Versions(2)), "2 3 ");
  EXPECT_EQ(Plan(Versions(1, 2)), "1 2 ");
  EXPECT_EQ(Plan(Versions(3, 99)), "3 ") << "an end beyond the latest is the latest";
  EXPECT_EQ(Plan(Versions(4)), "DELTA_CDC_START_VERSION_AFTER_LATEST");
  EXPECT_EQ(Plan(Versions(2, 1)), "DELTA_INVALID_CDC_RANGE");
  EXPECT_EQ(Plan(Versions(-1)), "DELTA_INVALID_CDC_RANGE");
  EXPECT_EQ(Plan({}), "DELTA_NO_START_FOR_CDC_READ");
  auto both = Versions(1);
  both.start_timestamp_ms = 5;
  EXPECT_EQ(Plan(both), "DELTA_MULTIPLE_CDC_BOUNDARY");
  auto beyond = Versions(9);
  beyond.allow_out_of_range = true;
  EXPECT_EQ(Plan(beyond), "");
}

TEST_F(ChangePlans, RangesOfTime) {
  EXPECT_EQ(Plan(Times(2000)), "1 2 3 ") << "at the start of version 1";
  EXPECT_EQ(Plan(Times(2001)), "2 3 ") << "the first version at or after it";
  EXPECT_EQ(Plan(Times(2001, 3500)), "2 ");
  EXPECT_EQ(Plan(Times(1, 99999)), "1 2 3 ") << "before the log, and after it";
  EXPECT_EQ(Plan(Times(2100, 2200)), "") << "between two commits";
  EXPECT_EQ(Plan(Times(2200, 2100)), "DELTA_INVALID_CDC_RANGE");
  EXPECT_EQ(Plan(Times(5000)), "DELTA_TIMESTAMP_GREATER_THAN_COMMIT");
  auto beyond = Times(5000);
  beyond.allow_out_of_range = true;
  EXPECT_EQ(Plan(beyond), "");
}

TEST_F(ChangePlans, RetentionIsMindedWhenAsked) {
  auto bounds = Versions(0);
  bounds.enforce_retention = true;
  EXPECT_EQ(Plan(bounds), "1 2 3 ");
  clock_.Set(int64_t{8} * 86'400'000);
  EXPECT_EQ(Plan(bounds), "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION");
  EXPECT_EQ(Plan(Versions(0)), "1 2 3 ");
}

TEST_F(ChangePlans, TheFeedMustBeOnAllTheTime) {
  Commit({MemoryTable::TestMetadata()});
  Commit({TestFile("f5")});
  EXPECT_EQ(Plan(Versions(1)), "DELTA_MISSING_CHANGE_DATA");
  EXPECT_EQ(Plan(Versions(1, 3)), "1 2 3 ");
  EXPECT_EQ(Plan(Versions(5)), "DELTA_MISSING_CHANGE_DATA");
  Commit({WithSchema(kTestSchema), TestFile("f6")});
  EXPECT_EQ(Plan(Versions(6)), "6 ") << "from the commit that switches it on";
}

TEST_F(ChangePlans, ColumnsMayCome) {
  Commit({WithSchema(
      R"({"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}},)"
      R"({"name":"p","type":"string","nullable":true,"metadata":{}},)"
      R"({"name":"n","type":"long","nullable":true,"metadata":{}}]})")});
  EXPECT_EQ(Plan(Versions(1)), "1 2 3 ");
  auto plan = PlanChanges(table_.Load(), Versions(1, 2));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->schema->fields().size(), 3U) << "the latest schema";
}

TEST_F(ChangePlans, TypesMayNotChange) {
  Commit({WithSchema(
      R"({"type":"struct","fields":[{"name":"id","type":"double","nullable":true,"metadata":{}},)"
      R"({"name":"p","type":"string","nullable":true,"metadata":{}}]})")});
  EXPECT_EQ(Plan(Versions(1)), "DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA");
  EXPECT_EQ(Plan(Versions(4)), "");
}

TEST_F(ChangePlans, TheSchemaOfTheEndGoesWithWhatIsBeforeALaterChange) {
  Commit({WithSchema(
      R"({"type":"struct","fields":[{"name":"id","type":"double","nullable":true,"metadata":{}},)"
      R"({"name":"p","type":"string","nullable":true,"metadata":{}}]})")});
  ChangeReading reading;
  reading.end_schema = true;
  auto plan = PlanChanges(table_.Load(), Versions(1, 3), reading);
  ASSERT_TRUE(plan) << plan.error().ToString();
  EXPECT_EQ(plan->schema->FindField("id")->type->kind(), TypeKind::kLong);
  EXPECT_EQ(plan->end.version, 3);
}

TEST_F(ChangePlans, RowIdsAndAppendsNeedNoFeed) {
  Commit({MemoryTable::TestMetadata()});
  Commit({TestFile("f5")});
  ChangeReading by_row_id;
  by_row_id.source = ChangeSource::kFiles;
  auto plan = PlanChanges(table_.Load(), Versions(5), by_row_id);
  ASSERT_FALSE(plan) << "there is no row tracking";
  EXPECT_EQ(plan.error().name, "DELTA_MISSING_CHANGE_DATA");
  ChangeReading appends;
  appends.source = ChangeSource::kAppends;
  plan = PlanChanges(table_.Load(), Versions(1), appends);
  ASSERT_TRUE(plan) << plan.error().ToString();
  EXPECT_EQ(plan->commits[4].files.size(), 1U);
}

TEST_F(ChangePlans, FilesThatAreNotReadAreCounted) {
  AddCdcFile cdc;
  cdc.path = "_change_data/c";
  Commit({TestRemove("f1"), TestFile("f4"), cdc});
  auto plan = PlanChanges(table_.Load(), Versions(3, 4));
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->commits[0].skipped_files, 0);
  EXPECT_EQ(plan->commits[1].skipped_files, 2);
}

// Whoever keeps up with a table asks its store for the new commits and nothing else, however long
// the log is.
TEST(ChangePlanCost, IsThatOfTheNewCommits) {
  constexpr int64_t kCommits = 100'000;
  auto memory = std::make_shared<storage::MemoryStore>();
  auto store = std::make_shared<storage::FaultStore>(memory);
  MemoryTable table(memory);
  table.Create(Protocol{1, 4, {}, {}}, {{"delta.enableChangeDataFeed", "true"}});
  const auto put = [&](int64_t version) {
    const std::string text = R"({"add":{"path":"f)" + std::to_string(version) +
                             R"(","partitionValues":{"p":"a"},"size":1,"modificationTime":1,)" +
                             R"("dataChange":true}})" + "\n";
    ASSERT_TRUE(
        memory->Put(storage::JoinPath(table.log().log_dir(), CommitFileName(version)), text));
  };
  for (int64_t version = 1; version <= kCommits; ++version) put(version);
  table.log().store = store;
  SnapshotPtr snapshot = table.Load();
  ASSERT_EQ(snapshot->version(), kCommits);
  ChangeBounds bounds;
  bounds.start_version = kCommits;
  auto plan = PlanChanges(snapshot, bounds);
  ASSERT_TRUE(plan) << plan.error().ToString();

  for (int64_t version = kCommits + 1; version <= kCommits + 2; ++version) put(version);
  const int64_t before = store->calls();
  auto updated = snapshot->Update();
  ASSERT_TRUE(updated);
  bounds.start_version = kCommits + 1;
  plan = PlanChanges(*updated, bounds, {}, &plan->end);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->commits.size(), 2U);
  EXPECT_EQ(plan->commits[1].files.size(), 1U);
  EXPECT_LE(store->calls() - before, 6) << "two listings from there on, each commit twice";

  // Far behind, a reader that goes on where it was loads no old version.
  bounds.end_version = 1'000;
  bounds.start_version = 1;
  plan = PlanChanges(*updated, bounds);
  ASSERT_TRUE(plan);
  bounds.start_version = 1'001;
  bounds.end_version = 1'010;
  const int64_t behind = store->calls();
  ASSERT_TRUE(PlanChanges(*updated, bounds, {}, &plan->end));
  EXPECT_LE(store->calls() - behind, 11);
}

TypePtr Parse(const std::string& fields) {
  return *ParseSchema(R"({"type":"struct","fields":[)" + fields + "]}");
}

std::string FieldJson(const std::string& name, const std::string& physical, bool nullable = true) {
  return R"({"name":")" + name + R"(","type":"long","nullable":)" + (nullable ? "true" : "false") +
         R"(,"metadata":{"delta.columnMapping.physicalName":")" + physical + "\"}}";
}

TEST(ChangeSchema, FindsWhatNoLongerFits) {
  auto a = Parse(FieldJson("a", "c1"));
  EXPECT_FALSE(FindSchemaConflict(*a, *Parse(FieldJson("A", "c1"))));
  EXPECT_FALSE(FindSchemaConflict(*a, *Parse(FieldJson("a", "c1") + "," + FieldJson("b", "c2"))));
  EXPECT_TRUE(FindSchemaConflict(*a, *Parse(FieldJson("b", "c1")))) << "renamed";
  EXPECT_TRUE(FindSchemaConflict(*a, *Parse(FieldJson("a", "c2")))) << "dropped and added again";
  EXPECT_TRUE(FindSchemaConflict(*a, *Parse(FieldJson("a", "c1", false)))) << "NOT NULL";
  EXPECT_FALSE(FindSchemaConflict(*Parse(FieldJson("a", "c1", false)), *a));
}

TEST(SnapshotAsInserts, LeavesDeletedRowsOut) {
  MemoryTable table;
  table.Create();
  auto transaction = table.Begin();
  transaction->Add(TestFile("f"));
  ASSERT_TRUE(transaction->Commit());
  auto files = SnapshotAsInserts(table.Load()->files());
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].kind, ChangeKind::kInsert);
  EXPECT_EQ(files[0].path, "f");
}

}  // namespace
}  // namespace weir::delta
