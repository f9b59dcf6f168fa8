// SPDX-License-Identifier: Apache-2.0
#include "delta/changes/offset_store.h"

#include <gtest/gtest.h>

namespace weir::delta {
namespace {

class OffsetStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    auto store = OffsetStore::Open("memory://offsets/" + std::string(Name()));
    ASSERT_TRUE(store) << store.error().ToString();
    store_ = std::make_unique<OffsetStore>(std::move(*store));
  }

  static const char* Name() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  std::unique_ptr<OffsetStore> store_;
};

TEST_F(OffsetStoreTest, GivesBackWhatWasSaved) {
  auto none = store_->Load("c");
  ASSERT_TRUE(none);
  EXPECT_FALSE(*none);
  ASSERT_TRUE(store_->Save("c", {"id-1", 7}));
  ASSERT_TRUE(store_->Save("c", {"id-1", 8}));
  ASSERT_TRUE(store_->Save("other", {"id-2", 1}));
  EXPECT_EQ(**store_->Load("c"), (Offset{"id-1", 8}));
  const std::map<std::string, Offset> all = {{"c", {"id-1", 8}}, {"other", {"id-2", 1}}};
  EXPECT_EQ(*store_->LoadAll(), all);
}

TEST_F(OffsetStoreTest, APlaceInsideAVersionIsOfItsOwnFormat) {
  const Offset inside{"id-1", 7, 12, true};
  ASSERT_TRUE(store_->Save("c", inside));
  EXPECT_EQ(**store_->Load("c"), inside);
  ASSERT_TRUE(store_->Save("c", {"id-1", 7, 3}));
  EXPECT_EQ(**store_->Load("c"), (Offset{"id-1", 7, 3, false}));
  EXPECT_TRUE((Offset{"a", 7, 3}.IsBefore({"a", 7, 4})));
  EXPECT_TRUE((Offset{"a", 7, 3, true}.IsBefore({"a", 8})));
  EXPECT_FALSE((Offset{"a", 8}.IsBefore({"a", 7, 4})));
}

TEST_F(OffsetStoreTest, NamesMustBeFileNames) {
  for (const char* name : {"", "a/b", "..", ".hidden", "a b"}) {
    auto loaded = store_->Load(name);
    ASSERT_FALSE(loaded) << name;
    EXPECT_EQ(loaded.error().name, "WEIR_CONSUMER_NAME_INVALID");
    EXPECT_FALSE(store_->Save(name, {}));
  }
}

TEST_F(OffsetStoreTest, AFileThatIsNoOffsetIsAnError) {
  const std::string folder = "memory://offsets/" + std::string(Name());
  auto store = storage::OpenStore(folder);
  ASSERT_TRUE(store);
  for (const char* text :
       {"", "{", "{}", R"({"formatVersion":2,"tableId":"x","nextVersion":1})",
        R"({"formatVersion":1,"tableId":"x","nextVersion":-1})",
        R"({"formatVersion":2,"tableId":"x","nextVersion":1,"nextFile":-1,"inSnapshot":true})",
        R"({"formatVersion":2,"tableId":"x","nextVersion":1,"nextFile":1,"inSnapshot":5})",
        R"({"formatVersion":3,"tableId":"x","nextVersion":1})",
        R"({"formatVersion":1,"tableId":5,"nextVersion":1})"}) {
    ASSERT_TRUE((*store)->Put(folder + "/c.json", text));
    auto loaded = store_->Load("c");
    ASSERT_FALSE(loaded) << text;
    EXPECT_EQ(loaded.error().name, "WEIR_OFFSET_MALFORMED");
  }
}

}  // namespace
}  // namespace weir::delta
