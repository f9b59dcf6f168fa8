// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <random>
#include <set>
#include <thread>

#include "delta/snapshot/log_fixture.h"

namespace weir::delta {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class UpdateSnapshot : public LogTest {
 protected:
  SnapshotPtr Update(const SnapshotPtr& snapshot) {
    auto next = snapshot->Update();
    EXPECT_TRUE(next) << (next ? "" : next.error().ToString());
    return next ? *next : nullptr;
  }
};

TEST_F(UpdateSnapshot, NothingNewIsTheVerySameSnapshot) {
  Commit(0, {kProtocol, MetadataLine()});
  auto snapshot = Load();
  EXPECT_EQ(Update(snapshot), snapshot);
}

TEST_F(UpdateSnapshot, NewCommitsAreAppliedAndTheOldSnapshotStays) {
  Commit(0, {kProtocol, MetadataLine(), AddLine("a"), AddLine("b")});
  auto old = Load();
  Commit(1, {RemoveLine("a"), AddLine("c"), R"({"commitInfo":{"operation":"W"}})"});
  Commit(2, {AddLine("d"), MetadataLine("\"delta.appendOnly\":\"true\"")});
  auto snapshot = Update(old);
  EXPECT_EQ(snapshot->version(), 2);
  EXPECT_THAT(Paths(*snapshot), ElementsAre("b", "c", "d"));
  EXPECT_EQ(*snapshot->FindProperty("delta.appendOnly"), "true");
  EXPECT_EQ(snapshot->commit_info(), nullptr);
  EXPECT_EQ((**snapshot->Tombstones()).size(), 1U);
  EXPECT_THAT(Paths(*old), ElementsAre("a", "b"));
  EXPECT_EQ(old->FindProperty("delta.appendOnly"), nullptr);
}

TEST_F(UpdateSnapshot, TextsOfTheOldFilesAreShared) {
  Commit(0, {kProtocol, MetadataLine(), AddLine("a"), AddLine("b"), AddLine("c"), AddLine("d")});
  auto old = Load();
  Commit(1, {AddLine("e"), RemoveLine("b")});
  auto snapshot = Update(old);
  EXPECT_EQ(snapshot->files().path(0).data(), old->files().path(0).data());
}

TEST_F(UpdateSnapshot, AProtocolOfTheFutureStopsIt) {
  Commit(0, {kProtocol, MetadataLine()});
  auto snapshot = Load();
  Commit(1, {R"({"protocol":{"minReaderVersion":9,"minWriterVersion":9}})"});
  EXPECT_EQ(snapshot->Update().error().kind, ErrorKind::kUnsupportedFeature);
}

TEST_F(UpdateSnapshot, ATableMadeAnewIsLoadedAnew) {
  Commit(0, {kProtocol, MetadataLine(), AddLine("a")});
  Commit(1, {AddLine("b")});
  auto snapshot = Load();
  clock.Set(2'000'000);
  Delete(CommitFileName(1));
  Commit(0, {kProtocol, MetadataLine(), AddLine("x")});
  EXPECT_THAT(Paths(*Update(snapshot)), ElementsAre("x"));
  Commit(1, {AddLine("y")});
  EXPECT_THAT(Paths(*Update(snapshot)), ElementsAre("x", "y"));
  ASSERT_TRUE(store->DeleteRecursive("/t"));
  EXPECT_EQ(snapshot->Update().error().name, "DELTA_TABLE_NOT_FOUND");
}

TEST_F(UpdateSnapshot, ACheckpointBridgesCleanedCommits) {
  Commit(0, {kProtocol, MetadataLine(), AddLine("a")});
  auto snapshot = Load();
  Commit(3, {AddLine("d")});
  Checkpoint(ClassicCheckpointFileName(2), {kProtocol, MetadataLine(), AddLine("c")});
  EXPECT_THAT(Paths(*Update(snapshot)), ElementsAre("c", "d"));
}

TEST_F(UpdateSnapshot, ManyUpdatesGiveWhatOneLoadGives) {
  Commit(0, {kProtocol, MetadataLine()});
  auto snapshot = Load();
  for (int i = 1; i <= 200; ++i) {
    std::vector<std::string> lines = {AddLine(fmt::format("f{}", i), i)};
    if (i % 3 == 0) lines.push_back(RemoveLine(fmt::format("f{}", i / 3)));
    Commit(i, lines);
    snapshot = Update(snapshot);
  }
  auto fresh = Load();
  EXPECT_EQ(Paths(*snapshot), Paths(*fresh));
  EXPECT_EQ(snapshot->files().total_size(), fresh->files().total_size());
  EXPECT_EQ((**snapshot->Tombstones()).size(), (**fresh->Tombstones()).size());
}

TEST_F(UpdateSnapshot, AFollowerForgetsExpiredRemoves) {
  constexpr int64_t kDay = 86'400'000;
  clock.Set(100 * kDay);
  Commit(0, {kProtocol, MetadataLine()});
  auto snapshot = Load();
  for (int i = 1; i <= 200; ++i) {
    Commit(i, {RemoveLine(fmt::format("f{}", i), "", i % 2 == 0 ? 99 * kDay : 1)});
    snapshot = Update(snapshot);
  }
  auto tombstones = snapshot->Tombstones();
  ASSERT_TRUE(tombstones);
  EXPECT_GE((*tombstones)->size(), 100U);
  EXPECT_LT((*tombstones)->size(), 140U);
}

TEST_F(UpdateSnapshot, OneSnapshotServesManyThreads) {
  std::vector<std::string> lines = {kProtocol, MetadataLine()};
  for (int i = 0; i < 500; ++i) lines.push_back(AddLine(fmt::format("f{}", i), 1));
  Commit(0, lines);
  auto snapshot = Load();
  Commit(1, {AddLine("g"), RemoveLine("f3")});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      auto next = snapshot->Update();
      ASSERT_TRUE(next);
      EXPECT_EQ((*next)->files().size(), 500U);
      EXPECT_EQ((**(*next)->Tombstones()).size(), 1U);
      EXPECT_EQ(Paths(*snapshot).size(), 500U);
    });
  }
  for (auto& thread : threads) thread.join();
}

// --- against a model that knows nothing but the protocol's words

struct Model {
  // Path to vector id ("" is none) of live files, and the tombstones.
  std::map<std::string, std::string> live;
  std::set<std::pair<std::string, std::string>> tombstones;

  void Add(const std::string& path, const std::string& vector) {
    live[path] = vector;
    tombstones.erase({path, vector});
  }
  void Remove(const std::string& path, const std::string& vector) {
    auto it = live.find(path);
    if (it != live.end() && it->second == vector) live.erase(it);
    tombstones.insert({path, vector});
  }
};

class RandomHistory : public LogTest, public ::testing::WithParamInterface<unsigned> {
 protected:
  static std::string VectorOf(const std::string& id) { return id.empty() ? "" : Vector(id); }

  static void ExpectEqual(const Snapshot& snapshot, const Model& model) {
    std::map<std::string, std::string> live;
    for (size_t i = 0; i < snapshot.files().size(); ++i) {
      auto vector = snapshot.files().deletion_vector(i);
      bool fresh =
          live.emplace(snapshot.files().path(i), vector ? vector->path_or_inline_dv : "").second;
      EXPECT_TRUE(fresh) << snapshot.files().path(i);
    }
    EXPECT_EQ(live, model.live) << "version " << snapshot.version();
    std::set<std::pair<std::string, std::string>> tombstones;
    auto kept = snapshot.Tombstones();
    ASSERT_TRUE(kept);
    for (const auto& remove : **kept) {
      tombstones.emplace(remove.path,
                         remove.deletion_vector ? remove.deletion_vector->path_or_inline_dv : "");
    }
    EXPECT_EQ(tombstones, model.tombstones) << "version " << snapshot.version();
  }

  // The state as a checkpoint.
  std::vector<std::string> Lines(const Model& model) {
    std::vector<std::string> lines = {kProtocol, MetadataLine()};
    for (const auto& [path, vector] : model.live)
      lines.push_back(AddLine(path, 1, VectorOf(vector)));
    for (const auto& [path, vector] : model.tombstones)
      lines.push_back(RemoveLine(path, VectorOf(vector)));
    return lines;
  }
};

TEST_P(RandomHistory, LoadAndUpdateAgreeWithTheModel) {
  std::mt19937 random(GetParam());
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Model model;
  Commit(0, {kProtocol, MetadataLine()});
  std::vector<SnapshotPtr> followers = {Load()};
  for (int version = 1; version <= 40; ++version) {
    std::vector<std::string> lines;
    std::set<std::string> touched;
    for (int n = below(6); n >= 0; --n) {
      std::string path = fmt::format("f{}", below(12));
      if (!touched.insert(path).second) continue;
      auto live = model.live.find(path);
      if (live == model.live.end()) {
        lines.push_back(AddLine(path));
        model.Add(path, "");
        continue;
      }
      std::string old = live->second;
      std::string remove = RemoveLine(path, VectorOf(old));
      model.Remove(path, old);
      if (below(2) == 0) {
        lines.push_back(remove);
        continue;
      }
      std::string vector = fmt::format("v{}", version);
      std::string add = AddLine(path, 10, Vector(vector));
      model.Add(path, vector);
      bool add_first = below(2) == 0;
      lines.push_back(add_first ? add : remove);
      lines.push_back(add_first ? remove : add);
    }
    Commit(version, lines);
    if (below(7) == 0) Checkpoint(ClassicCheckpointFileName(version), Lines(model));
    auto loaded = Load();
    ExpectEqual(*loaded, model);
    // Followers that look in at every commit, now and then, or hardly ever.
    for (auto& follower : followers) {
      if (below(3) == 0) {
        auto next = follower->Update();
        ASSERT_TRUE(next);
        follower = *next;
        ExpectEqual(*follower, model);
      }
    }
    if (version % 10 == 0) followers.push_back(loaded);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomHistory, ::testing::Range(0U, 25U));

}  // namespace
}  // namespace weir::delta
