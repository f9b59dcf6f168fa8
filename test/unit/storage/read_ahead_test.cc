// SPDX-License-Identifier: Apache-2.0
//
// Goal: what is read ahead is right, is asked for once, and no more than the window.
// Method: a store in memory behind one that notes every call. Nothing here depends on which thread
// is faster.
#include "storage/read_ahead.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "storage/fault_store.h"
#include "storage/memory_store.h"

namespace weir::storage {
namespace {

std::string PathOf(size_t place) { return "memory://t/" + std::to_string(place); }

std::shared_ptr<FaultStore> StoreOf(size_t count) {
  auto store = std::make_shared<FaultStore>(std::make_shared<MemoryStore>());
  for (size_t i = 0; i < count; ++i) EXPECT_TRUE(store->Put(PathOf(i), "x" + std::to_string(i)));
  return store;
}

size_t TimesAsked(const FaultStore& store, size_t place) {
  const auto calls = store.journal();
  return static_cast<size_t>(std::count(calls.begin(), calls.end(), "GetRange " + PathOf(place)));
}

std::optional<ReadAhead::Piece> PieceAt(size_t place) {
  return ReadAhead::Piece{PathOf(place), 1, static_cast<int64_t>(std::to_string(place).size())};
}

TEST(ReadAhead, EachPieceIsReadOnceHoweverOftenItIsWanted) {
  constexpr size_t kCount = 300;
  auto store = StoreOf(kCount);
  {
    ReadAhead ahead(store, kCount, PieceAt);
    for (size_t i = 0; i < kCount; ++i) {
      for (int times = 0; times < 2; ++times) {
        const auto bytes = ahead.Get(i);
        ASSERT_NE(bytes, nullptr) << i;
        EXPECT_EQ(*bytes, std::to_string(i));
      }
    }
    // It lies too far behind by now.
    EXPECT_EQ(ahead.Get(0), nullptr);
  }
  for (size_t i = 0; i < kCount; ++i) EXPECT_EQ(TimesAsked(*store, i), 1U) << i;
}

TEST(ReadAhead, ReadsNothingBeforeTheFirstAndLittleThen) {
  auto store = StoreOf(100);
  { ReadAhead never(store, 100, PieceAt); }
  EXPECT_EQ(store->calls(), 100);
  {
    ReadAhead ahead(store, 100, PieceAt);
    EXPECT_NE(ahead.Get(0), nullptr);
  }
  for (size_t i = ReadAhead::kFirstWindow + 1; i < 100; ++i) EXPECT_EQ(TimesAsked(*store, i), 0U);
}

TEST(ReadAhead, PlacesMayBeLeftOutAndWantedInAnyOrder) {
  auto store = StoreOf(400);
  ReadAhead ahead(store, 400,
                  [](size_t place) { return place % 3 == 0 ? std::nullopt : PieceAt(place); });
  for (const size_t place : {0, 3, 2, 1, 200, 10, 199, 399, 398, 5, 399}) {
    const auto bytes = ahead.Get(place);
    if (place % 3 == 0) {
      EXPECT_EQ(bytes, nullptr);
    }
    if (bytes) {
      EXPECT_EQ(*bytes, std::to_string(place));
    }
  }
}

TEST(ReadAhead, WhatCannotBeReadIsLeftToTheReader) {
  auto store = StoreOf(1);  // the others are not there
  ReadAhead ahead(store, 50, PieceAt);
  EXPECT_NE(ahead.Get(0), nullptr);
  for (size_t i = 1; i < 50; ++i) EXPECT_EQ(ahead.Get(i), nullptr);
}

TEST(ReadAhead, ManyReadersShareIt) {
  constexpr size_t kCount = 500;
  auto store = StoreOf(kCount);
  {
    ReadAhead ahead(store, kCount, PieceAt);
    std::atomic<size_t> next = 0;
    std::vector<std::thread> readers;
    for (int i = 0; i < 4; ++i) {
      readers.emplace_back([&] {
        for (size_t place = next++; place < kCount; place = next++) {
          // One that was overtaken by more than a window finds its piece dropped.
          const auto bytes = ahead.Get(place);
          if (bytes) {
            EXPECT_EQ(*bytes, std::to_string(place));
          }
        }
      });
    }
    for (auto& reader : readers) reader.join();
  }
  for (size_t i = 0; i < kCount; ++i) EXPECT_LE(TimesAsked(*store, i), 1U) << i;
}

}  // namespace
}  // namespace weir::storage
