// SPDX-License-Identifier: Apache-2.0
//
// Two transactions begin on one version; the first commits, then the second tries.
#include <gtest/gtest.h>

#include "delta/memory_table.h"
#include "delta/row_tracking/row_tracking.h"

namespace weir::delta {
namespace {

constexpr const char* kWon = "";

class Conflicts : public testing::Test {
 protected:
  void SetUp() override {
    table_.Create();
    ASSERT_TRUE(table_.Append(TestFile("a1", "a")));
    ASSERT_TRUE(table_.Append(TestFile("b1", "b")));
    first_ = table_.Begin();
    second_ = table_.Begin();
  }

  // A DELETE of one partition that rewrites a file.
  static void Rewrite(Transaction& transaction, const std::string& partition,
                      const std::string& old_path, const std::string& new_path) {
    transaction.reads().predicates.push_back(ReadsPartition(partition));
    transaction.reads().files.insert(old_path);
    transaction.Add(TestRemove(old_path));
    transaction.Add(TestFile(new_path, partition));
  }

  // Commits both and names what the second one ran into.
  std::string Run() {
    auto first = first_->Commit();
    EXPECT_TRUE(first) << first.error().ToString();
    auto second = second_->Commit();
    if (!second) {
      EXPECT_EQ(second.error().kind, ErrorKind::kConflictFinal);
      EXPECT_NE(second.error().message.find("version 3"), std::string::npos);
      EXPECT_EQ(table_.Load()->version(), 3) << "nothing of the loser is visible";
      return second.error().name;
    }
    EXPECT_EQ(second->version, 4);
    EXPECT_EQ(second->attempts, 2);
    return kWon;
  }

  MemoryTable table_;
  std::unique_ptr<Transaction> first_;
  std::unique_ptr<Transaction> second_;
};

TEST_F(Conflicts, AppendsNeverConflict) {
  first_->Add(TestFile("x"));
  second_->Add(TestFile("y"));
  EXPECT_EQ(Run(), kWon);
  EXPECT_EQ(table_.Load()->files().size(), 4U);
}

TEST_F(Conflicts, WorkOnDifferentPartitionsBothWin) {
  Rewrite(*first_, "a", "a1", "a2");
  Rewrite(*second_, "b", "b1", "b2");
  EXPECT_EQ(Run(), kWon);
}

TEST_F(Conflicts, RewritesOfOneFile) {
  Rewrite(*first_, "a", "a1", "a2");
  Rewrite(*second_, "a", "a1", "a3");
  EXPECT_EQ(Run(), "DELTA_CONCURRENT_APPEND");
}

TEST_F(Conflicts, OverwritesFromOneSnapshot) {
  for (auto* transaction : {first_.get(), second_.get()}) {
    transaction->Add(TestRemove("a1"));
    transaction->Add(TestFile("new-" + transaction->id()));
  }
  EXPECT_EQ(Run(), "DELTA_CONCURRENT_DELETE_DELETE");
}

TEST_F(Conflicts, TheReadFileWasRemoved) {
  first_->Add(TestRemove("a1"));
  second_->reads().files.insert("a1");
  second_->Add(TestFile("y"));
  EXPECT_EQ(Run(), "DELTA_CONCURRENT_DELETE_READ");
}

TEST_F(Conflicts, RowsOfAScanAreGone) {
  first_->Add(TestRemove("a1"));
  second_->reads().predicates.push_back(ReadsPartition("a"));
  second_->Add(TestFile("y", "b"));
  EXPECT_EQ(Run(), "DELTA_CONCURRENT_DELETE_READ") << "though it took no row from that file";
}

TEST_F(Conflicts, RowsBesideAScanAreGone) {
  first_->Add(TestRemove("%62%31"));
  second_->reads().predicates.push_back(ReadsPartition("a"));
  second_->Add(TestFile("y", "a"));
  EXPECT_EQ(Run(), kWon);
}

TEST_F(Conflicts, PathsAreComparedDecoded) {
  first_->Add(TestRemove("%61%31"));
  second_->reads().files.insert("a1");
  EXPECT_EQ(Run(), "DELTA_CONCURRENT_DELETE_READ");
}

TEST_F(Conflicts, ReadersOfTheWholeTableMindEveryRemoval) {
  first_->Add(TestRemove("b1"));
  second_->reads().whole_table = true;
  EXPECT_EQ(Run(), "DELTA_CONCURRENT_DELETE_READ");
}

TEST_F(Conflicts, BlindAppendsIntoWhatWasReadConflict) {
  first_->Add(TestFile("x", "a"));
  Rewrite(*second_, "a", "a1", "a2");
  EXPECT_EQ(Run(), "DELTA_CONCURRENT_APPEND");
}

TEST_F(Conflicts, BlindAppendsPassUnderWriteSerializable) {
  first_->Add(TestFile("x", "a"));
  Rewrite(*second_, "a", "a1", "a2");
  second_->SetIsolationLevel(IsolationLevel::kWriteSerializable);
  EXPECT_EQ(Run(), kWon);
}

TEST_F(Conflicts, BlindAppendsElsewherePass) {
  first_->Add(TestFile("x", "b"));
  Rewrite(*second_, "a", "a1", "a2");
  EXPECT_EQ(Run(), kWon);
}

TEST_F(Conflicts, BlindAppendsConflictWithChangesOfTheSchema) {
  first_->Add(TestFile("x", "a"));
  second_->reads().whole_table = true;
  second_->SetIsolationLevel(IsolationLevel::kWriteSerializable);
  second_->Add(MemoryTable::TestMetadata({{"k", "v"}}));
  EXPECT_EQ(Run(), "DELTA_CONCURRENT_APPEND");
}

TEST_F(Conflicts, AppendsByThoseWhoHaveReadConflict) {
  first_->reads().predicates.push_back(ReadsPartition("b"));
  first_->Add(TestFile("x", "a"));
  Rewrite(*second_, "a", "a1", "a2");
  second_->SetIsolationLevel(IsolationLevel::kWriteSerializable);
  EXPECT_EQ(Run(), "DELTA_CONCURRENT_APPEND");
}

TEST_F(Conflicts, RearrangedFilesConflictOnlyWithTheirReaders) {
  AddFile compacted = TestFile("a2", "a");
  compacted.data_change = false;
  RemoveFile old = TestRemove("a1");
  old.data_change = false;
  first_->reads().files.insert("a1");
  first_->Add(old);
  first_->Add(compacted);
  second_->reads().predicates.push_back(ReadsPartition("a"));
  second_->Add(TestFile("y", "b"));
  EXPECT_EQ(Run(), kWon) << "the predicate matched no row of the old files";
}

TEST_F(Conflicts, OptimizeMindsNoAppends) {
  first_->reads().predicates.push_back(ReadsPartition("b"));
  first_->Add(TestFile("x", "a"));
  AddFile compacted = TestFile("a2", "a");
  compacted.data_change = false;
  RemoveFile old = TestRemove("a1");
  old.data_change = false;
  second_->reads().predicates.push_back(ReadsPartition("a"));
  second_->reads().files.insert("a1");
  second_->Add(old);
  second_->Add(compacted);
  EXPECT_EQ(Run(), kWon);
  auto info = table_.All<CommitInfo>(4).at(0);
  EXPECT_EQ(info.members.Find("isolationLevel")->text(), "SnapshotIsolation");
}

TEST_F(Conflicts, OptimizeAndDelete) {
  Rewrite(*first_, "a", "a1", "a2");
  RemoveFile old = TestRemove("a1");
  old.data_change = false;
  second_->Add(old);
  EXPECT_EQ(Run(), "DELTA_CONCURRENT_DELETE_DELETE");
}

TEST_F(Conflicts, TheMetadataChanged) {
  first_->Add(MemoryTable::TestMetadata({{"k", "v"}}));
  second_->Add(TestFile("y"));
  EXPECT_EQ(Run(), "DELTA_METADATA_CHANGED");
}

TEST_F(Conflicts, MetadataOfBothSides) {
  first_->Add(MemoryTable::TestMetadata({{"k", "v"}}));
  second_->Add(MemoryTable::TestMetadata({{"k", "w"}}));
  EXPECT_EQ(Run(), "DELTA_METADATA_CHANGED");
}

TEST_F(Conflicts, SameMetadataAgainIsNoChange) {
  first_->Add(MemoryTable::TestMetadata());
  second_->Add(TestFile("y"));
  EXPECT_EQ(Run(), kWon);
}

// What somebody switches on while a DELETE is at work, and what becomes of that.
TEST_F(Conflicts, PropertiesThatFilesDoWithoutMayCome) {
  const std::vector<std::pair<StringMap, std::string>> cases = {
      {{{"delta.enableDeletionVectors", "true"}}, kWon},
      {{{"delta.enableDeletionVectors", "false"}}, "DELTA_METADATA_CHANGED"},
      {{{"delta.checkpointPolicy", "v2"}}, kWon},
      {{{"delta.checkpointPolicy", "classic"}}, "DELTA_METADATA_CHANGED"},
      {{{"delta.enableInCommitTimestamps", "true"},
        {"delta.inCommitTimestampEnablementVersion", "3"},
        {"delta.inCommitTimestampEnablementTimestamp", "1"}},
       kWon},
      {{{"delta.enableChangeDataFeed", "true"}}, "DELTA_METADATA_CHANGED"},
      {{{"delta.appendOnly", "true"}}, "DELTA_METADATA_CHANGED"},
      {{{"delta.constraints.c", "id > 0"}}, "DELTA_METADATA_CHANGED"},
      {{{"delta.enableRowTracking", "true"}}, "DELTA_METADATA_CHANGED"},
      {{{"delta.enableTypeWidening", "true"}}, "DELTA_METADATA_CHANGED"},
      {{{"delta.columnMapping.mode", "id"}}, "DELTA_METADATA_CHANGED"},
      {{{"delta.enableDeletionVectors", "true"}, {"k", "v"}}, "DELTA_METADATA_CHANGED"},
  };
  for (const auto& [properties, verdict] : cases) {
    SCOPED_TRACE(properties.begin()->first + " = " + properties.begin()->second);
    MemoryTable table;
    table.Create();
    ASSERT_TRUE(table.Append(TestFile("a1", "a")));
    auto first = table.Begin();
    auto second = table.Begin();
    first->Add(MemoryTable::TestMetadata(properties));
    ASSERT_TRUE(first->Commit());
    Rewrite(*second, "a", "a1", "a2");
    auto result = second->Commit();
    EXPECT_EQ(result ? kWon : result.error().name, verdict);
  }
}

// Column mapping by name, with names as they are in the files or with others.
TEST_F(Conflicts, MappingByTheNamesThatColumnsHave) {
  for (const std::string physical : {"id", "col-1"}) {
    SCOPED_TRACE(physical);
    MemoryTable table;
    table.Create();
    auto first = table.Begin();
    auto second = table.Begin();
    Metadata metadata = MemoryTable::TestMetadata(
        {{"delta.columnMapping.mode", "name"}, {"delta.columnMapping.maxColumnId", "2"}});
    metadata.schema_string =
        R"({"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{)"
        R"("delta.columnMapping.id":1,"delta.columnMapping.physicalName":")" +
        physical +
        R"("}},{"name":"p","type":"string","nullable":true,"metadata":{)"
        R"("delta.columnMapping.id":2,"delta.columnMapping.physicalName":"p"}}]})";
    Protocol protocol;
    protocol.min_reader_version = 2;
    protocol.min_writer_version = 5;
    first->Add(protocol);
    first->Add(metadata);
    ASSERT_TRUE(first->Commit());
    second->Add(TestFile("y"));
    auto result = second->Commit();
    EXPECT_EQ(result ? kWon : result.error().name,
              physical == "id" ? kWon : std::string("DELTA_METADATA_CHANGED"));
  }
}

TEST_F(Conflicts, WhoeverSetsTheMetadataLetsNothingPass) {
  first_->Add(MemoryTable::TestMetadata({{"delta.checkpointPolicy", "v2"}}));
  second_->Add(MemoryTable::TestMetadata({{"k", "w"}}));
  EXPECT_EQ(Run(), "DELTA_METADATA_CHANGED");
}

TEST_F(Conflicts, IdentityMarksAloneDoNotStopAnAppend) {
  Metadata metadata = MemoryTable::TestMetadata();
  size_t at = metadata.schema_string.find("{}");
  metadata.schema_string.replace(at, 2, "{\"delta.identity.highWaterMark\":7}");
  first_->Add(metadata);
  second_->Add(TestFile("y"));
  EXPECT_EQ(Run(), kWon);
}

TEST_F(Conflicts, TheProtocolDemandsSomethingOfFiles) {
  first_->Add(TestProtocol({"appendOnly", "invariants", "materializePartitionColumns"}));
  second_->Add(TestFile("y"));
  EXPECT_EQ(Run(), "DELTA_PROTOCOL_CHANGED");
}

TEST_F(Conflicts, FeaturesThatAskNothingOfFilesMayCome) {
  first_->Add(TestProtocol({"appendOnly", "invariants", "domainMetadata", "inCommitTimestamp"}));
  Rewrite(*second_, "a", "a1", "a2");
  EXPECT_EQ(Run(), kWon);
}

TEST_F(Conflicts, FeaturesMustNotGo) {
  ASSERT_TRUE(table_.Append(TestFile("c1", "c")));
  auto upgrade = table_.Begin();
  upgrade->Add(TestProtocol({"appendOnly", "invariants", "domainMetadata"}));
  ASSERT_TRUE(upgrade->Commit());
  auto downgrade = table_.Begin();
  auto append = table_.Begin();
  downgrade->Add(TestProtocol());
  ASSERT_TRUE(downgrade->Commit());
  append->Add(TestFile("y"));
  auto result = append->Commit();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().name, "DELTA_PROTOCOL_CHANGED");
}

TEST_F(Conflicts, SameProtocolAgainIsNoChangeUnlessBothSetIt) {
  first_->Add(TestProtocol());
  second_->Add(TestFile("y"));
  EXPECT_EQ(Run(), kWon);
}

TEST_F(Conflicts, ProtocolsOfBothSides) {
  first_->Add(TestProtocol());
  second_->Add(TestProtocol({"appendOnly", "invariants"}));
  EXPECT_EQ(Run(), "DELTA_PROTOCOL_CHANGED");
}

TEST_F(Conflicts, OneApplicationTwice) {
  first_->Add(SetTransaction{"app", 1, {}});
  second_->Add(SetTransaction{"app", 1, {}});
  EXPECT_EQ(Run(), "DELTA_CONCURRENT_TRANSACTION");
}

TEST_F(Conflicts, TheApplicationWasLookedUp) {
  first_->Add(SetTransaction{"app", 1, {}});
  second_->reads().app_ids.insert("app");
  EXPECT_EQ(Run(), "DELTA_CONCURRENT_TRANSACTION");
}

TEST_F(Conflicts, DifferentApplications) {
  first_->Add(SetTransaction{"app", 1, {}});
  second_->Add(SetTransaction{"other", 1, {}});
  EXPECT_EQ(Run(), kWon);
}

TEST_F(Conflicts, OneDomainTwice) {
  first_->Add(DomainMetadata{"d", "1", false});
  second_->Add(DomainMetadata{"d", "2", false});
  EXPECT_EQ(Run(), "DELTA_CONCURRENT_TRANSACTION");
}

TEST_F(Conflicts, DifferentDomains) {
  first_->Add(DomainMetadata{"d", "1", false});
  second_->Add(DomainMetadata{"e", "2", false});
  EXPECT_EQ(Run(), kWon);
}

}  // namespace
}  // namespace weir::delta
