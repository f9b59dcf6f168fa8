// SPDX-License-Identifier: Apache-2.0
#include "delta/maintenance/drop_feature.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "delta/memory_table.h"
#include "delta/snapshot/log_files.h"
#include "delta/snapshot/log_fixture.h"

namespace weir::delta {
namespace {

constexpr int64_t kDay = 86'400'000;

// Stands for the engine: takes vectors off files without writing any.
class FakeRewriter final : public FeatureRewriter {
 public:
  Status PurgeVectors(const SnapshotPtr& snapshot) override {
    ++purges;
    if (meanwhile) meanwhile();
    if (!works) return {};
    WEIR_ASSIGN_OR_RETURN(const auto transaction, Transaction::Begin(snapshot));
    for (size_t i = 0; i < snapshot->files().size(); ++i) {
      AddFile add = snapshot->files().Get(i);
      if (!add.deletion_vector) continue;
      RemoveFile remove = TestRemove(add.path);
      remove.deletion_vector = add.deletion_vector;
      remove.deletion_timestamp = snapshot->log().clock->NowMillis();
      remove.data_change = false;
      transaction->Add(std::move(remove));
      add.path += "-purged";
      add.deletion_vector.reset();
      add.data_change = false;
      transaction->Add(std::move(add));
    }
    return transaction->Commit().map([](const CommitResult&) {});
  }
  Status RewriteFor(const SnapshotPtr& snapshot, const Metadata& metadata,
                    const std::string&) override {
    WEIR_ASSIGN_OR_RETURN(const auto transaction, Transaction::Begin(snapshot));
    transaction->Add(metadata);
    return transaction->Commit().map([](const CommitResult&) {});
  }

  int purges = 0;
  bool works = true;
  std::function<void()> meanwhile;
};

class DropFeatureTest : public testing::Test {
 protected:
  void SetUp() override {
    table_.log().clock = &clock_;
    table_.log().checkpoint_io = std::make_shared<FakeCheckpointIo>();
  }

  void CreateWithVector() {
    Protocol protocol = TestProtocol({"deletionVectors"});
    protocol.min_reader_version = 3;
    protocol.reader_features = {"deletionVectors"};
    table_.Create(std::move(protocol), {{"delta.enableDeletionVectors", "true"}});
    AddFile file = TestFile("f1");
    file.deletion_vector = DeletionVectorDescriptor{};
    file.deletion_vector->storage_type = 'u';
    file.deletion_vector->path_or_inline_dv = "ab^-aqEH.-t@S}K{vb[*k^";
    file.deletion_vector->offset = 1;
    file.deletion_vector->size_in_bytes = 34;
    file.deletion_vector->cardinality = 1;
    ASSERT_TRUE(table_.Append(std::move(file)));
  }

  std::string Drop(const std::string& name, bool truncate = false) {
    const auto version = DropFeature(table_.Load(), name, truncate, rewriter_);
    return version ? "" : version.error().name;
  }

  bool HasCheckpoint(int64_t version) {
    const auto path = storage::JoinPath(table_.log().log_dir(), ClassicCheckpointFileName(version));
    return table_.log().store->Head(path).has_value();
  }

  FixedClock clock_{1'700'000'000'000};
  MemoryTable table_{std::make_shared<storage::MemoryStore>(&clock_)};
  FakeRewriter rewriter_;
};

TEST_F(DropFeatureTest, VectorsArePurgedAndOlderVersionsFencedOff) {
  CreateWithVector();
  EXPECT_EQ(Drop("deletionVectors"), "");
  const SnapshotPtr snapshot = table_.Load();
  EXPECT_EQ(snapshot->protocol(), TestProtocol({"checkpointProtection"}));
  EXPECT_EQ(*snapshot->FindProperty("delta.requireCheckpointProtectionBeforeVersion"),
            std::to_string(snapshot->version()));
  EXPECT_EQ(snapshot->FindProperty("delta.enableDeletionVectors"), nullptr);
  for (int64_t back = 0; back <= 3; ++back)
    EXPECT_TRUE(HasCheckpoint(snapshot->version() - back)) << back;
  const auto tombstones = snapshot->Tombstones();
  ASSERT_TRUE(tombstones);
  const auto is_vector = [](const RemoveFile& remove) {
    return remove.path.find("deletion_vector_") != std::string::npos && !remove.deletion_vector;
  };
  EXPECT_EQ(std::count_if((*tombstones)->begin(), (*tombstones)->end(), is_vector), 1);
  EXPECT_EQ(rewriter_.purges, 1);
}

TEST_F(DropFeatureTest, AnotherWriterWhoGoesOnUsingItIsSeen) {
  CreateWithVector();
  rewriter_.works = false;
  EXPECT_EQ(Drop("deletionVectors"), "DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL");
  EXPECT_TRUE(IsSupported(table_.Load()->protocol(), Feature::kDeletionVectors));
  rewriter_.works = true;
  EXPECT_EQ(Drop("deletionVectors"), "");
}

TEST_F(DropFeatureTest, TruncationWaitsUntilTheHistoryIsGone) {
  CreateWithVector();
  EXPECT_EQ(Drop("deletionVectors", true), "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD");
  EXPECT_EQ(Drop("deletionVectors", true), "DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST");
  clock_.Set(clock_.NowMillis() + 2 * kDay);
  EXPECT_EQ(Drop("deletionVectors", true), "");
  EXPECT_EQ(table_.Load()->protocol().min_reader_version, 1);
  EXPECT_FALSE(IsSupported(table_.Load()->protocol(), Feature::kCheckpointProtection));
}

TEST_F(DropFeatureTest, ProtectionGoesWithTheVersionsItGuards) {
  CreateWithVector();
  ASSERT_EQ(Drop("deletionVectors"), "");
  EXPECT_EQ(Drop("checkpointProtection"),
            "DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION");
  EXPECT_EQ(Drop("checkpointProtection", true),
            "DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD");
  clock_.Set(clock_.NowMillis() + 2 * kDay);
  EXPECT_EQ(Drop("checkpointProtection", true), "");
  EXPECT_EQ(table_.Load()->FindProperty("delta.requireCheckpointProtectionBeforeVersion"), nullptr);
  const auto old = Snapshot::Load(table_.log(), {1, std::nullopt});
  EXPECT_FALSE(old);
}

TEST_F(DropFeatureTest, RowIdsLeaveEveryFile) {
  table_.Create(TestProtocol({"domainMetadata", "rowTracking"}),
                {{"delta.enableRowTracking", "true"}});
  ASSERT_TRUE(table_.Append(TestFile("f1")));
  EXPECT_EQ(Drop("domainMetadata"), "DELTA_FEATURE_DROP_DEPENDENT_FEATURE");
  EXPECT_EQ(Drop("rowTracking", true), "DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED");
  EXPECT_EQ(Drop("ROWTRACKING"), "");
  const SnapshotPtr snapshot = table_.Load();
  EXPECT_FALSE(snapshot->files().base_row_id(0));
  EXPECT_FALSE(snapshot->files().default_row_commit_version(0));
  EXPECT_TRUE(snapshot->domains().empty());
  EXPECT_TRUE(snapshot->metadata().configuration.empty());
  EXPECT_EQ(Drop("domainMetadata"), "");
  ASSERT_TRUE(table_.Append(TestFile("f2")));
  EXPECT_FALSE(table_.Load()->files().base_row_id(1));
}

TEST_F(DropFeatureTest, AnAppendMeanwhileDoesNoHarm) {
  CreateWithVector();
  rewriter_.meanwhile = [&] { ASSERT_TRUE(table_.Append(TestFile("theirs"))); };
  EXPECT_EQ(Drop("deletionVectors"), "");
  EXPECT_EQ(table_.Load()->files().size(), 2U);
}

TEST_F(DropFeatureTest, Refusals) {
  table_.Create(TestProtocol({"appendOnly", "checkConstraints"}),
                {{"delta.constraints.c", "id > 0"}});
  EXPECT_EQ(Drop("appendOnly"), "DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE");
  EXPECT_EQ(Drop("columnMapping"), "DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT");
  EXPECT_EQ(Drop("nonsense"), "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE");
  EXPECT_EQ(Drop("delta.appendOnly"), "DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY");
  EXPECT_EQ(Drop("checkConstraints"), "DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE");
  EXPECT_EQ(table_.Load()->version(), 0) << "nothing was written";
}

}  // namespace
}  // namespace weir::delta
