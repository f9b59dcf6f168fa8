// SPDX-License-Identifier: Apache-2.0
#include "delta/commit/transaction.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "delta/commit/backfill_in_parts.h"
#include "delta/memory_table.h"
#include "delta/row_tracking/row_tracking.h"
#include "storage/fault_store.h"

namespace weir::delta {
namespace {

TEST(Transaction, WritesProvenanceAsSparkDoes) {
  FixedClock clock(1700000000000);
  MemoryTable table;
  table.log().clock = &clock;
  table.Create();
  auto transaction = table.Begin();
  JsonValue parameters = JsonValue::Object();
  parameters.Set("mode", JsonValue::String("Append"));
  parameters.Set("partitionBy", JsonValue::String("[]"));
  transaction->SetOperation("WRITE", parameters);
  transaction->SetMetrics({{"numFiles", 1}, {"numOutputRows", 10}});
  transaction->SetCommitInfo("userMetadata", JsonValue::String("u"));
  transaction->Add(TestFile("x"));
  std::string id = transaction->id();
  auto result = transaction->Commit();
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_EQ(result->version, 1);
  EXPECT_EQ(result->timestamp_ms, 1700000000000);
  auto actions = table.Actions(1);
  auto* info = std::get_if<CommitInfo>(&actions.at(0));
  ASSERT_TRUE(info) << "commitInfo comes first";
  EXPECT_EQ(info->members.ToString(),
            R"({"timestamp":1700000000000,"operation":"WRITE","operationParameters":)"
            R"({"mode":"Append","partitionBy":"[]"},"readVersion":0,"isolationLevel":)"
            R"("Serializable","isBlindAppend":true,"operationMetrics":{"numFiles":"1",)"
            R"("numOutputRows":"10"},"engineInfo":"Weir/)" WEIR_VERSION R"(","txnId":")" +
                id + R"(","userMetadata":"u"})");
}

TEST(Transaction, SaysWhetherItHasRead) {
  MemoryTable table;
  table.Create(TestProtocol(), {{"delta.isolationLevel", "WriteSerializable"}});
  auto transaction = table.Begin();
  transaction->reads().files.insert("x");
  transaction->Add(TestFile("y"));
  ASSERT_TRUE(transaction->Commit());
  auto info = table.All<CommitInfo>(1).at(0);
  EXPECT_FALSE(info.members.Find("isBlindAppend")->bool_value());
  EXPECT_EQ(info.members.Find("isolationLevel")->text(), "WriteSerializable");
}

TEST(Transaction, LastStateSaidCounts) {
  MemoryTable table;
  table.Create();
  auto transaction = table.Begin();
  transaction->Add(MemoryTable::TestMetadata({{"k", "1"}}));
  transaction->Add(SetTransaction{"app", 1, {}});
  transaction->Add(MemoryTable::TestMetadata({{"k", "2"}}));
  transaction->Add(SetTransaction{"app", 2, {}});
  ASSERT_TRUE(transaction->Commit());
  ASSERT_EQ(table.All<Metadata>(1).size(), 1U);
  EXPECT_EQ(table.All<Metadata>(1)[0].configuration.at("k"), "2");
  EXPECT_EQ(table.Load()->transactions().at("app").version, 2);
}

TEST(Transaction, ATableIsCreatedOnce) {
  MemoryTable table;
  table.Create();
  auto again = table.TryCreate();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::kAlreadyExists);
  EXPECT_EQ(again.error().name, "DELTA_TABLE_ALREADY_EXISTS");
}

TEST(Transaction, OfTwoCreatorsOneWins) {
  MemoryTable table;
  auto first = *Transaction::BeginCreate(table.log());
  auto second = *Transaction::BeginCreate(table.log());
  for (auto* transaction : {first.get(), second.get()}) {
    transaction->Add(TestProtocol());
    transaction->Add(MemoryTable::TestMetadata());
  }
  ASSERT_TRUE(first->Commit());
  auto lost = second->Commit();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().name, "DELTA_TABLE_ALREADY_EXISTS");
}

TEST(Transaction, ANewTableNeedsItsProtocolAndMetadata) {
  MemoryTable table;
  auto transaction = *Transaction::BeginCreate(table.log());
  transaction->Add(TestProtocol());
  auto result = transaction->Commit();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().name, "WEIR_INCOMPLETE_TABLE");
}

std::string NameOfFailure(MemoryTable& table, const std::vector<Action>& actions) {
  int64_t before = table.Load()->version();
  auto transaction = table.Begin();
  for (const auto& action : actions) transaction->Add(action);
  auto result = transaction->Commit();
  EXPECT_EQ(table.Load()->version(), before + (result ? 1 : 0));
  return result ? "" : result.error().name;
}

TEST(Transaction, RefusesWhatTheTableForbids) {
  MemoryTable table;
  table.Create(TestProtocol(), {{"delta.appendOnly", "true"}});
  EXPECT_EQ(NameOfFailure(table, {TestRemove("x")}), "DELTA_CANNOT_MODIFY_APPEND_ONLY");
  RemoveFile rearranged = TestRemove("x");
  rearranged.data_change = false;
  EXPECT_EQ(NameOfFailure(table, {rearranged}), "");
  EXPECT_EQ(NameOfFailure(table, {TestFile("x"), TestFile("%78")}),
            "DELTA_DUPLICATE_ACTIONS_FOUND");
  AddFile unpartitioned = TestFile("y");
  unpartitioned.partition_values.clear();
  EXPECT_EQ(NameOfFailure(table, {unpartitioned}), "DELTA_ADD_FILE_PARTITIONING_MISMATCH");
  AddFile uncounted = TestFile("z");
  uncounted.deletion_vector = DeletionVectorDescriptor{};
  uncounted.stats = "{}";
  EXPECT_EQ(NameOfFailure(table, {uncounted}), "DELTA_ADDING_DELETION_VECTORS_WITHOUT_NUM_RECORDS");
}

TEST(Transaction, LeavesTablesAloneThatItCannotWrite) {
  MemoryTable table;
  auto created = table.TryCreate(TestProtocol({"catalogManaged"}));
  ASSERT_FALSE(created);
  table.Create();
  EXPECT_EQ(NameOfFailure(table, {TestProtocol({"notHeardOf"})}),
            "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE");
}

TEST(Transaction, AppendOnlyNeedsItsFeature) {
  MemoryTable table;
  table.Create(TestProtocol({"invariants"}), {{"delta.appendOnly", "true"}});
  EXPECT_EQ(NameOfFailure(table, {TestRemove("x")}), "");
}

TEST(InCommitTimestamps, GrowEvenWhenTheClockStands) {
  FixedClock clock(5000);
  MemoryTable table;
  table.log().clock = &clock;
  table.Create(TestProtocol({"inCommitTimestamp"}), {{"delta.enableInCommitTimestamps", "true"}});
  ASSERT_TRUE(table.Append(TestFile("x")));
  clock.Set(10);
  auto result = table.Append(TestFile("y"));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->timestamp_ms, 5002);
  for (int64_t version = 0; version <= 2; ++version) {
    auto actions = table.Actions(version);
    auto* info = std::get_if<CommitInfo>(&actions.at(0));
    ASSERT_TRUE(info);
    EXPECT_EQ(info->in_commit_timestamp(), 5000 + version);
    EXPECT_EQ(info->members.members().at(0).first, "inCommitTimestamp");
  }
}

TEST(InCommitTimestamps, AreAboveTheWinners) {
  FixedClock clock(5000);
  MemoryTable table;
  table.log().clock = &clock;
  table.Create(TestProtocol({"inCommitTimestamp"}), {{"delta.enableInCommitTimestamps", "true"}});
  auto late = table.Begin();
  late->Add(TestFile("y"));
  ASSERT_TRUE(table.Append(TestFile("x")));
  auto result = late->Commit();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->timestamp_ms, 5002);
}

TEST(InCommitTimestamps, RememberWhereTheyBegan) {
  FixedClock clock(5000);
  MemoryTable table(std::make_shared<storage::MemoryStore>(&clock));
  table.log().clock = &clock;
  table.Create(TestProtocol({"inCommitTimestamp"}));
  auto enabling = table.Begin();
  enabling->Add(MemoryTable::TestMetadata({{"delta.enableInCommitTimestamps", "true"}}));
  clock.Set(6000);
  ASSERT_TRUE(table.Append(TestFile("x")));
  clock.Set(4000);
  auto result = enabling->Commit();
  ASSERT_TRUE(result) << result.error().ToString();
  EXPECT_EQ(result->timestamp_ms, 6001) << "later than the file of version 1";
  auto metadata = table.Load()->metadata();
  EXPECT_EQ(metadata.configuration.at("delta.inCommitTimestampEnablementVersion"), "2");
  EXPECT_EQ(metadata.configuration.at("delta.inCommitTimestampEnablementTimestamp"), "6001");
}

class RowTracking : public testing::Test {
 protected:
  void SetUp() override {
    table_.Create(TestProtocol({"rowTracking", "domainMetadata"}),
                  {{"delta.enableRowTracking", "true"}});
  }

  int64_t Mark() {
    auto snapshot = table_.Load();
    auto it = snapshot->domains().find("delta.rowTracking");
    return it == snapshot->domains().end() ? -1 : *ReadHighWaterMark(it->second.configuration);
  }

  MemoryTable table_;
};

TEST_F(RowTracking, GivesIdsAboveTheMark) {
  auto transaction = table_.Begin();
  transaction->Add(TestFile("x", "a", 3));
  transaction->Add(TestFile("y", "a", 4));
  ASSERT_TRUE(transaction->Commit());
  auto adds = table_.All<AddFile>(1);
  EXPECT_EQ(adds[0].base_row_id, 0);
  EXPECT_EQ(adds[1].base_row_id, 3);
  EXPECT_EQ(adds[1].default_row_commit_version, 1);
  EXPECT_EQ(Mark(), 6);
  EXPECT_EQ(table_.All<CommitInfo>(1)[0].members.Find("tags")->ToString(),
            R"({"delta.rowTracking.preserved":"true"})");
}

TEST_F(RowTracking, LosersGetOtherIds) {
  auto late = table_.Begin();
  late->Add(TestFile("y", "a", 4));
  ASSERT_TRUE(table_.Append(TestFile("x", "a", 3)));
  ASSERT_TRUE(late->Commit());
  auto add = table_.All<AddFile>(2).at(0);
  EXPECT_EQ(add.base_row_id, 3);
  EXPECT_EQ(add.default_row_commit_version, 2);
  EXPECT_EQ(Mark(), 6);
}

TEST_F(RowTracking, AFileKeepsItsIdsForLife) {
  ASSERT_TRUE(table_.Append(TestFile("x", "a", 3)));
  auto transaction = table_.Begin();
  transaction->Add(TestRemove("x"));
  AddFile again = TestFile("x", "a", 3);
  again.deletion_vector = DeletionVectorDescriptor{'i', "abc", {}, 3, 1};
  transaction->Add(again);
  ASSERT_TRUE(transaction->Commit());
  auto add = table_.All<AddFile>(2).at(0);
  auto remove = table_.All<RemoveFile>(2).at(0);
  EXPECT_EQ(add.base_row_id, 0);
  EXPECT_EQ(add.default_row_commit_version, 1);
  EXPECT_EQ(remove.base_row_id, 0);
  EXPECT_EQ(remove.default_row_commit_version, 1);
  EXPECT_TRUE(table_.All<DomainMetadata>(2).empty()) << "the mark did not move";
}

TEST_F(RowTracking, NeedsTheNumberOfRows) {
  AddFile file = TestFile("x");
  file.stats.reset();
  auto result = table_.Append(file);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().name, "DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS");
  EXPECT_EQ(table_.Load()->version(), 0);
}

TEST_F(RowTracking, CanBeSuspended) {
  auto transaction = table_.Begin();
  transaction->Add(MemoryTable::TestMetadata({{"delta.rowTrackingSuspended", "true"}}));
  transaction->Add(TestFile("x"));
  ASSERT_TRUE(transaction->Commit());
  EXPECT_FALSE(table_.All<AddFile>(1).at(0).base_row_id);
}

// A table that begins to track rows when it has files already.
class RowTrackingLater : public testing::Test {
 protected:
  std::unique_ptr<Transaction> Enable() {
    auto transaction = table_.Begin();
    transaction->Add(TestProtocol({"appendOnly", "invariants", "rowTracking", "domainMetadata"}));
    transaction->Add(MemoryTable::TestMetadata({{"delta.enableRowTracking", "true"}}));
    return transaction;
  }

  MemoryTable table_;
};

TEST_F(RowTrackingLater, FilesThatAreThereGetIdsToo) {
  table_.Create();
  ASSERT_TRUE(table_.Append(TestFile("x", "a", 3)));
  ASSERT_TRUE(table_.Append(TestFile("gone", "a", 3)));
  auto transaction = Enable();
  transaction->Add(TestRemove("gone"));
  transaction->Add(TestFile("y", "a", 4));
  ASSERT_TRUE(transaction->Commit());
  const auto snapshot = table_.Load();
  ASSERT_EQ(snapshot->files().size(), 2U);
  std::set<int64_t> ids;
  for (size_t i = 0; i < 2; ++i) {
    ids.insert(snapshot->files().base_row_id(i).value_or(-1));
    EXPECT_EQ(snapshot->files().default_row_commit_version(i), 3);
  }
  EXPECT_EQ(ids, (std::set<int64_t>{0, 4}));
  for (const AddFile& add : table_.All<AddFile>(3)) EXPECT_EQ(add.data_change, add.path == "y");
}

// The files of a snapshot, and that each row has an id of its own.
std::set<std::string> FilesWithRowIds(const Snapshot& snapshot) {
  std::set<std::string> paths;
  std::map<int64_t, int64_t> ranges;
  const FileList& files = snapshot.files();
  for (size_t i = 0; i < files.size(); ++i) {
    paths.insert(std::string(files.path(i)));
    EXPECT_TRUE(files.base_row_id(i) && files.default_row_commit_version(i)) << files.path(i);
    ranges[files.base_row_id(i).value_or(-1)] = 10;
  }
  EXPECT_EQ(ranges.size(), files.size());
  int64_t last = -1;
  for (const auto& [first, count] : ranges) {
    EXPECT_GT(first, last);
    last = first + count - 1;
  }
  return paths;
}

TEST_F(RowTrackingLater, FilesThatComeAndGoMeanwhile) {
  table_.Create();
  for (const char* path : {"a", "b", "c"}) ASSERT_TRUE(table_.Append(TestFile(path)));
  auto transaction = Enable();
  ASSERT_TRUE(table_.Append(TestFile("theirs")));
  auto other = table_.Begin();
  other->Add(TestRemove("a"));
  other->Add(TestRemove("theirs"));
  other->Add(TestFile("later"));
  ASSERT_TRUE(other->Commit());
  ASSERT_TRUE(transaction->Commit());
  EXPECT_EQ(FilesWithRowIds(*table_.Load()), (std::set<std::string>{"b", "c", "later"}));
}

TEST_F(RowTrackingLater, WhoeverBeganBeforeGetsAConflict) {
  table_.Create();
  ASSERT_TRUE(table_.Append(TestFile("a")));
  auto other = table_.Begin();
  other->Add(TestFile("b"));
  ASSERT_TRUE(Enable()->Commit());
  auto result = other->Commit();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().name, "DELTA_METADATA_CHANGED");
}

TEST_F(RowTrackingLater, ManyFilesGetIdsInManyCommits) {
  table_.Create();
  constexpr size_t kFiles = 2 * kFilesPerBackfill + 5;
  auto append = table_.Begin();
  for (size_t i = 0; i < kFiles; ++i) append->Add(TestFile("f" + std::to_string(i)));
  ASSERT_TRUE(append->Commit());
  ASSERT_TRUE(Enable()->Commit());
  const auto snapshot = table_.Load();
  EXPECT_EQ(snapshot->version(), 5) << "the protocol, two batches, and the rest with the property";
  EXPECT_EQ(FilesWithRowIds(*snapshot).size(), kFiles);
  EXPECT_TRUE(table_.All<AddFile>(2).empty());
  EXPECT_EQ(table_.All<Protocol>(2).size(), 1U);
  for (int64_t version : {3, 4}) {
    EXPECT_EQ(table_.All<AddFile>(version).size(), kFilesPerBackfill);
    EXPECT_TRUE(table_.All<Metadata>(version).empty());
    EXPECT_EQ(table_.All<CommitInfo>(version).at(0).operation(), "ROW TRACKING BACKFILL");
  }
  EXPECT_EQ(table_.All<AddFile>(5).size(), 5U);
  EXPECT_EQ(table_.All<Metadata>(5).size(), 1U);
}

TEST_F(RowTrackingLater, NothingIsAddedAgainOnceItIsOn) {
  table_.Create();
  ASSERT_TRUE(table_.Append(TestFile("x")));
  ASSERT_TRUE(Enable()->Commit());
  ASSERT_TRUE(Enable()->Commit());
  EXPECT_EQ(table_.All<AddFile>(2).size(), 1U);
  EXPECT_TRUE(table_.All<AddFile>(3).empty());
}

TEST(RowTrackingRules, StableIds) {
  EXPECT_EQ(StableRowId(7, 100, 3), 7);
  EXPECT_EQ(StableRowId({}, 100, 3), 103);
  EXPECT_EQ(StableRowId({}, {}, 3), std::nullopt);
  EXPECT_EQ(StableRowCommitVersion(5, 9), 5);
  EXPECT_EQ(StableRowCommitVersion({}, 9), 9);
  Metadata metadata;
  EXPECT_FALSE(MaterializedColumnsOf(metadata));
  EnsureMaterializedColumns(metadata);
  auto columns = MaterializedColumnsOf(metadata);
  ASSERT_TRUE(columns);
  EXPECT_NE(columns->row_id, columns->row_commit_version);
  EnsureMaterializedColumns(metadata);
  EXPECT_EQ(MaterializedColumnsOf(metadata)->row_id, columns->row_id);
  EXPECT_EQ(*ReadHighWaterMark(R"({"rowIdHighWaterMark":6,"domainName":"delta.rowTracking"})"), 6);
  EXPECT_FALSE(ReadHighWaterMark("{}"));
  EXPECT_FALSE(ReadHighWaterMark(R"({"rowIdHighWaterMark":"6"})"));
}

// The i-th call goes wrong; whatever the writer is told, the table holds its file once or not at
// all, and a plain success or failure is the truth.
class LostCalls : public testing::TestWithParam<storage::Fault> {};

TEST_P(LostCalls, NeverLoseOrDouble) {
  for (int64_t call = 0;; ++call) {
    ASSERT_LT(call, 100);
    auto memory = std::make_shared<storage::MemoryStore>();
    MemoryTable setup(memory);
    setup.Create();
    ASSERT_TRUE(setup.Append(TestFile("old")));

    auto faulty = std::make_shared<storage::FaultStore>(memory);
    MemoryTable table(faulty);
    faulty->Inject(call, GetParam());
    std::optional<Result<CommitResult>> result;
    auto base = Snapshot::Load(table.log());
    if (base) {
      auto transaction = *Transaction::Begin(*base);
      transaction->Add(TestFile("new"));
      // Another writer comes first, so that the conflict path is walked too.
      ASSERT_TRUE(setup.Append(TestFile("other")));
      result = transaction->Commit();
    }
    auto files = MemoryTable(memory).Load();
    size_t count = 0;
    for (size_t i = 0; i < files->files().size(); ++i) count += files->files().path(i) == "new";
    EXPECT_LE(count, 1U);
    if (result && *result) {
      EXPECT_EQ(count, 1U) << "call " << call;
      EXPECT_EQ(setup.All<AddFile>((*result)->version).at(0).path, "new");
    } else if (!result || result->error().kind != ErrorKind::kStateUnknown) {
      EXPECT_EQ(count, 0U) << "call " << call;
    }
    if (!faulty->was_hit()) break;
  }
}

INSTANTIATE_TEST_SUITE_P(AllFaults, LostCalls,
                         testing::Values(storage::Fault::kError, storage::Fault::kReplyLost,
                                         storage::Fault::kRequestLost, storage::Fault::kStopped));

TEST(Transaction, ALostReplyIsSettledByLooking) {
  auto memory = std::make_shared<storage::MemoryStore>();
  MemoryTable(memory).Create();
  for (auto fault : {storage::Fault::kReplyLost, storage::Fault::kRequestLost}) {
    auto faulty = std::make_shared<storage::FaultStore>(memory);
    MemoryTable table(faulty);
    auto transaction = table.Begin();
    transaction->Add(TestFile("x" + transaction->id()));
    int64_t before = table.Load()->version();
    faulty->InjectNext(fault);
    auto result = transaction->Commit();
    ASSERT_TRUE(result) << result.error().ToString();
    EXPECT_EQ(result->version, before + 1);
    EXPECT_EQ(MemoryTable(memory).Load()->version(), before + 1);
  }
}

TEST(Transaction, FiftyThreadsLoseAndDoubleNothing) {
  MemoryTable table;
  table.Create(TestProtocol({"rowTracking", "domainMetadata", "inCommitTimestamp"}),
               {{"delta.enableInCommitTimestamps", "true"}});
  constexpr int kThreads = 50;
  constexpr int kCommits = 4;
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kCommits; ++i) {
        auto path = "f" + std::to_string(thread) + "-" + std::to_string(i);
        if (!table.Append(TestFile(path, "a", 7))) ++failures;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  auto snapshot = table.Load();
  EXPECT_EQ(snapshot->version(), kThreads * kCommits);
  EXPECT_EQ(snapshot->files().size(), size_t{kThreads * kCommits});
  std::set<int64_t> ids;
  for (size_t i = 0; i < snapshot->files().size(); ++i) {
    ids.insert(snapshot->files().base_row_id(i).value());
    EXPECT_EQ(*snapshot->files().base_row_id(i) % 7, 0);
  }
  EXPECT_EQ(ids.size(), size_t{kThreads * kCommits}) << "no two files share ids";
  int64_t last = 0;
  for (int64_t version = 0; version <= snapshot->version(); ++version) {
    int64_t timestamp = *table.All<CommitInfo>(version).at(0).in_commit_timestamp();
    EXPECT_GT(timestamp, last);
    last = timestamp;
  }
}

}  // namespace
}  // namespace weir::delta
