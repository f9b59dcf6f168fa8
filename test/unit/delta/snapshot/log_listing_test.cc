// SPDX-License-Identifier: Apache-2.0
#include "delta/snapshot/log_listing.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "storage/local_store.h"

namespace weir::delta {
namespace {

class CommitsFromTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("weir-listing-" + std::to_string(::getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    log_.root = folder_.string();
    log_.store = std::make_shared<storage::LocalStore>();
    std::filesystem::create_directories(log_.log_dir());
    for (int64_t version = 0; version < 5; ++version) Put(version);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string PathOf(int64_t version) {
    return storage::JoinPath(log_.log_dir(), CommitFileName(version));
  }
  void Put(int64_t version) { std::ofstream(PathOf(version)) << "{}\n"; }

  // As "1 2 3 ".
  std::string CommitsFrom(int64_t first) {
    std::string versions;
    auto listing = ListCommitsFrom(log_, first);
    if (!listing) return listing.error().ToString();
    for (const auto& commit : listing->commits) {
      versions += std::to_string(commit.version) + " ";
      EXPECT_EQ(commit.info.path, PathOf(commit.version));
      EXPECT_EQ(commit.info.size, 3);
    }
    return versions;
  }

  std::filesystem::path folder_;
  TableLog log_;
};

TEST_F(CommitsFromTest, AreThoseOfAListing) {
  EXPECT_EQ(CommitsFrom(0), "0 1 2 3 4 ");
  EXPECT_EQ(CommitsFrom(2), "2 3 4 ");
  EXPECT_EQ(CommitsFrom(4), "4 ");
  EXPECT_EQ(CommitsFrom(5), "");
  Put(5);
  EXPECT_EQ(CommitsFrom(4), "4 5 ");
}

TEST_F(CommitsFromTest, AreListedWhereCleanUpMayHaveLeftAHole) {
  ASSERT_TRUE(log_.store->Delete(PathOf(2)));
  std::filesystem::last_write_time(
      PathOf(1), std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_EQ(CommitsFrom(1), "1 3 4 ") << "an old commit";
  ASSERT_TRUE(log_.store->Delete(PathOf(1)));
  EXPECT_EQ(CommitsFrom(1), "3 4 ") << "one that is gone";
}

TEST_F(CommitsFromTest, OfALongWayAreListed) {
  for (int64_t version = 5; version < 1100; ++version) Put(version);
  auto listing = ListCommitsFrom(log_, 3);
  ASSERT_TRUE(listing);
  EXPECT_EQ(listing->commits.size(), 1097U);
}

}  // namespace
}  // namespace weir::delta
