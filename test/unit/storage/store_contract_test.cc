// SPDX-License-Identifier: Apache-2.0
//
// What every store promises, run over each of them.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <memory>
#include <thread>

#include "storage/fault_store.h"
#include "storage/local_store.h"
#include "storage/memory_store.h"
#include "storage/remote_store.h"
#include "storage/temporary_directory.h"

namespace weir::storage {
namespace {

/// A store, and the folder in which objects are named; the test makes one of its own in it.
struct Place {
  std::shared_ptr<ObjectStore> store;
  std::string root;
};
using PlaceMaker = Place (*)(const TemporaryDirectory& directory);

class StoreContract : public testing::TestWithParam<PlaceMaker> {
 protected:
  void SetUp() override { ASSERT_NE(store_, nullptr); }
  std::string Path(std::string_view name) const { return JoinPath(place_.root, name); }
  std::vector<std::string> Names(const Result<std::vector<ObjectInfo>>& objects) const {
    std::vector<std::string> names;
    for (const auto& object : *objects) {
      names.push_back(object.path.substr(place_.root.size() + 1) +
                      (object.is_directory ? "/" : ""));
    }
    return names;
  }

  TemporaryDirectory directory_;
  const Place place_ = GetParam()(directory_);
  const std::shared_ptr<ObjectStore> store_ = place_.store;
};

TEST_P(StoreContract, WhatIsPutCanBeRead) {
  std::string data("a\0b\n", 4);
  ASSERT_TRUE(store_->Put(Path("t/_delta_log/x"), data));
  EXPECT_EQ(*store_->Get(Path("t/_delta_log/x")), data);
  ASSERT_TRUE(store_->Put(Path("t/_delta_log/x"), "new"));
  EXPECT_EQ(*store_->Get(Path("t/_delta_log/x")), "new");
  auto head = store_->Head(Path("t/_delta_log/x"));
  ASSERT_TRUE(head);
  EXPECT_EQ(head->size, 3);
  EXPECT_EQ(head->path, Path("t/_delta_log/x"));
  EXPECT_GT(head->modified_ms, 1'600'000'000'000);
}

TEST_P(StoreContract, EmptyObjectsAreObjects) {
  ASSERT_TRUE(store_->Put(Path("empty"), ""));
  EXPECT_EQ(*store_->Get(Path("empty")), "");
  EXPECT_EQ(*store_->GetRange(Path("empty"), 0, 0), "");
}

TEST_P(StoreContract, RangesAreWholeOrAnError) {
  ASSERT_TRUE(store_->Put(Path("x"), "0123456789"));
  EXPECT_EQ(*store_->GetRange(Path("x"), 2, 3), "234");
  EXPECT_EQ(*store_->GetRange(Path("x"), 0, 10), "0123456789");
  EXPECT_EQ(store_->GetRange(Path("x"), 8, 3).error().kind, ErrorKind::kIo);
  EXPECT_EQ(store_->GetRange(Path("x"), 11, 0).error().kind, ErrorKind::kIo);
  EXPECT_EQ(store_->GetRange(Path("x"), 1, INT64_MAX).error().kind, ErrorKind::kIo);
  EXPECT_EQ(store_->GetRange(Path("x"), -1, 1).error().kind, ErrorKind::kInvalidArgument);
}

TEST_P(StoreContract, AbsentObjectsAreNotFound) {
  ASSERT_TRUE(store_->Put(Path("folder/x"), "1"));
  for (const char* name : {"nothing", "folder", "folder/x/below"}) {
    EXPECT_EQ(store_->Get(Path(name)).error().kind, ErrorKind::kNotFound) << name;
    EXPECT_EQ(store_->Get(Path(name)).error().name, "WEIR_OBJECT_NOT_FOUND") << name;
    EXPECT_EQ(store_->GetRange(Path(name), 0, 1).error().kind, ErrorKind::kNotFound) << name;
    EXPECT_EQ(store_->Head(Path(name)).error().kind, ErrorKind::kNotFound) << name;
  }
}

TEST_P(StoreContract, ListsAreSortedByBytesAndKnowFolders) {
  for (const char* name : {"d/b", "d/a-", "d/B", "d/é", "d/a/z", "d/a/b/c", "d/a0"}) {
    ASSERT_TRUE(store_->Put(Path(name), "1"));
  }
  using Strings = std::vector<std::string>;
  EXPECT_EQ(Names(store_->List(Path("d"))), (Strings{"d/B", "d/a-", "d/a0", "d/b", "d/é"}));
  EXPECT_EQ(Names(store_->List(Path("d"), "a-")), (Strings{"d/a0", "d/b", "d/é"}));
  EXPECT_EQ(Names(store_->ListDirectory(Path("d"))),
            (Strings{"d/B", "d/a/", "d/a-", "d/a0", "d/b", "d/é"}));
  EXPECT_EQ(Names(store_->ListRecursive(Path("d"))),
            (Strings{"d/B", "d/a-", "d/a/b/c", "d/a/z", "d/a0", "d/b", "d/é"}));
}

TEST_P(StoreContract, AbsentFoldersAreEmpty) {
  EXPECT_TRUE(store_->List(Path("nothing"))->empty());
  EXPECT_TRUE(store_->ListDirectory(Path("nothing"))->empty());
  EXPECT_TRUE(store_->ListRecursive(Path("nothing"))->empty());
}

TEST_P(StoreContract, DeletingTwiceIsNoError) {
  ASSERT_TRUE(store_->Put(Path("x"), "1"));
  EXPECT_TRUE(store_->Delete(Path("x")));
  EXPECT_FALSE(store_->Get(Path("x")));
  EXPECT_TRUE(store_->Delete(Path("x")));
}

TEST_P(StoreContract, DeletingAFolderTakesAllBelowAndNothingElse) {
  for (const char* name : {"t/a", "t/b/c", "t2/a"}) ASSERT_TRUE(store_->Put(Path(name), "1"));
  EXPECT_TRUE(store_->DeleteRecursive(Path("t")));
  EXPECT_TRUE(store_->ListRecursive(Path("t"))->empty());
  EXPECT_TRUE(store_->Get(Path("t2/a")));
  EXPECT_TRUE(store_->DeleteRecursive(Path("t")));
}

TEST_P(StoreContract, PutIfAbsentKeepsTheFirst) {
  ASSERT_TRUE(store_->PutIfAbsent(Path("t/_delta_log/0.json"), "first"));
  auto second = store_->PutIfAbsent(Path("t/_delta_log/0.json"), "second");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kAlreadyExists);
  EXPECT_EQ(second.error().name, "WEIR_OBJECT_ALREADY_EXISTS");
  EXPECT_EQ(*store_->Get(Path("t/_delta_log/0.json")), "first");
  EXPECT_EQ(store_->ListRecursive(Path("t"))->size(), 1u);
}

TEST_P(StoreContract, OfRacingWritersExactlyOneWins) {
  const bool is_remote = IsRemoteLocation(place_.root);
  const int kThreads = is_remote ? 8 : 50;
  const int kNames = is_remote ? 10 : 100;
  std::vector<std::atomic<int>> wins(kNames);
  std::vector<std::atomic<int>> winner(kNames);
  std::atomic<int> odd_errors = 0;
  std::barrier start(kThreads);
  std::vector<std::thread> threads;
  for (int id = 0; id < kThreads; ++id) {
    threads.emplace_back([&, id] {
      for (int name = 0; name < kNames; ++name) {
        start.arrive_and_wait();
        auto status = store_->PutIfAbsent(Path("log/" + std::to_string(name)), std::to_string(id));
        if (status) {
          ++wins[name];
          winner[name] = id;
        } else if (status.error().kind != ErrorKind::kAlreadyExists) {
          ++odd_errors;
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(odd_errors, 0);
  for (int name = 0; name < kNames; ++name) {
    EXPECT_EQ(wins[name], 1) << name;
    EXPECT_EQ(*store_->Get(Path("log/" + std::to_string(name))), std::to_string(winner[name]));
  }
  EXPECT_EQ(store_->ListRecursive(Path("log"))->size(), static_cast<size_t>(kNames));
}

TEST_P(StoreContract, OneRequestTellsMuchWhereRequestsAreDear) {
  auto* remote = dynamic_cast<RemoteStore*>(store_.get());
  if (remote == nullptr) return;
  ASSERT_TRUE(store_->Put(Path("log/2"), "0123456789"));
  ASSERT_TRUE(store_->Put(Path("log/1"), ""));
  ASSERT_TRUE(store_->Put(Path("log/below/3"), "x"));
  for (const int64_t limit : {4, 10, 1000}) {
    const auto start = remote->GetStart(Path("log/2"), limit);
    ASSERT_TRUE(start) << start.error().ToString();
    EXPECT_EQ(start->bytes, std::string("0123456789").substr(0, static_cast<size_t>(limit)));
    EXPECT_EQ(start->info.size, 10);
    EXPECT_EQ(start->info.path, Path("log/2"));
    EXPECT_EQ(start->info.modified_ms, store_->Head(Path("log/2"))->modified_ms);
  }
  EXPECT_EQ(remote->GetStart(Path("log/1"), 4)->info.size, 0);
  EXPECT_EQ(remote->GetStart(Path("log/none"), 4).error().kind, ErrorKind::kNotFound);
  EXPECT_FALSE(remote->ListSome(Path("log"), "")->empty());
  EXPECT_EQ(Names(remote->ListSome(Path("log"), "1")), std::vector<std::string>{"log/2"});
  EXPECT_TRUE(remote->ListSome(Path("log"), "2")->empty());
  EXPECT_TRUE(remote->ListSome(Path("none"), "")->empty());
}

Place MakeLocal(const TemporaryDirectory& directory) {
  return {std::make_shared<LocalStore>(), directory.path()};
}
Place MakeMemory(const TemporaryDirectory& directory) {
  return {std::make_shared<MemoryStore>(), directory.path()};
}
Place MakeFaultless(const TemporaryDirectory& directory) {
  return {std::make_shared<FaultStore>(std::make_shared<MemoryStore>()), directory.path()};
}

INSTANTIATE_TEST_SUITE_P(Local, StoreContract, testing::Values(MakeLocal));
INSTANTIATE_TEST_SUITE_P(Memory, StoreContract, testing::Values(MakeMemory));
INSTANTIATE_TEST_SUITE_P(FaultWithoutFaults, StoreContract, testing::Values(MakeFaultless));

// Of a server that test/stores has started: WEIR_TEST_STORE is a folder in a bucket of it.
const char* RemoteRoot() { return std::getenv("WEIR_TEST_STORE"); }

Place MakeRemote(const TemporaryDirectory& directory) {
  auto store = OpenStore(RemoteRoot());
  return {store.value_or(nullptr), JoinPath(RemoteRoot(), BaseName(directory.path()))};
}

std::vector<PlaceMaker> Remotes() {
  return RemoteRoot() == nullptr ? std::vector<PlaceMaker>() : std::vector<PlaceMaker>{MakeRemote};
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StoreContract);
INSTANTIATE_TEST_SUITE_P(Remote, StoreContract, testing::ValuesIn(Remotes()));

}  // namespace
}  // namespace weir::storage
