// SPDX-License-Identifier: Apache-2.0
#include "storage/fault_store.h"

#include <gtest/gtest.h>

#include "storage/memory_store.h"

namespace weir::storage {
namespace {

class FaultStoreTest : public testing::Test {
 protected:
  std::shared_ptr<MemoryStore> inner_ = std::make_shared<MemoryStore>();
  FaultStore store_{inner_};
};

TEST_F(FaultStoreTest, OnlyThePlannedCallFailsAndDoesNotHappen) {
  store_.Inject(1, Fault::kError);
  EXPECT_TRUE(store_.Put("/a", "1"));
  EXPECT_EQ(store_.Put("/b", "1").error().kind, ErrorKind::kIo);
  EXPECT_TRUE(store_.Put("/c", "1"));
  EXPECT_FALSE(inner_->Get("/b"));
  EXPECT_TRUE(store_.was_hit());
  EXPECT_EQ(store_.calls(), 3);
  EXPECT_EQ(store_.journal()[1], "Put /b");
}

TEST_F(FaultStoreTest, ALostReplyHidesAWriteThatHappened) {
  store_.InjectNext(Fault::kReplyLost);
  auto status = store_.PutIfAbsent("/a", "1");
  EXPECT_EQ(status.error().kind, ErrorKind::kStateUnknown);
  EXPECT_EQ(status.error().name, "WEIR_WRITE_STATE_UNKNOWN");
  EXPECT_EQ(*inner_->Get("/a"), "1");
}

TEST_F(FaultStoreTest, ALostRequestLooksTheSameButDidNotHappen) {
  store_.InjectNext(Fault::kRequestLost);
  EXPECT_EQ(store_.PutIfAbsent("/a", "1").error().kind, ErrorKind::kStateUnknown);
  EXPECT_FALSE(inner_->Get("/a"));
}

TEST_F(FaultStoreTest, ReadsThatFailAreIoErrors) {
  ASSERT_TRUE(inner_->Put("/d/a", "1234"));
  for (Fault fault : {Fault::kError, Fault::kReplyLost, Fault::kRequestLost, Fault::kStopped}) {
    store_.InjectNext(fault);
    EXPECT_EQ(store_.Get("/d/a").error().kind, ErrorKind::kIo);
    store_.InjectNext(fault);
    EXPECT_EQ(store_.List("/d").error().kind, ErrorKind::kIo);
  }
}

TEST_F(FaultStoreTest, AShortReadShowsHalfOfTheObject) {
  ASSERT_TRUE(inner_->Put("/a", "1234"));
  store_.InjectNext(Fault::kShortRead);
  EXPECT_EQ(*store_.Get("/a"), "12");
  store_.InjectNext(Fault::kShortRead);
  EXPECT_EQ(store_.GetRange("/a", 0, 2).error().kind, ErrorKind::kIo);
}

TEST_F(FaultStoreTest, AStoppedStoreStaysStoppedUntilHealed) {
  store_.Inject(1, Fault::kStopped);
  EXPECT_TRUE(store_.Put("/a", "1"));
  EXPECT_FALSE(store_.Put("/b", "1"));
  EXPECT_FALSE(store_.Get("/a"));
  store_.Heal();
  EXPECT_TRUE(store_.Get("/a"));
  EXPECT_FALSE(inner_->Get("/b"));
}

}  // namespace
}  // namespace weir::storage
