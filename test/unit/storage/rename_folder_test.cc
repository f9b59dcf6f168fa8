// SPDX-License-Identifier: Apache-2.0
#include "storage/rename_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "storage/temporary_directory.h"

namespace weir::storage {
namespace {

namespace fs = std::filesystem;

TEST(RenameFolderTest, AFolderMovesWithAllThatIsInItAndReplacesNothing) {
  TemporaryDirectory directory;
  const fs::path root = directory.path();
  fs::create_directories(root / "a" / "_delta_log");
  std::ofstream(root / "a" / "_delta_log" / "0.json") << "x";
  ASSERT_TRUE(RenameFolder(root / "a", root / "b"));
  EXPECT_FALSE(fs::exists(root / "a"));
  EXPECT_TRUE(fs::exists(root / "b" / "_delta_log" / "0.json"));

  auto gone = RenameFolder(root / "a", root / "c");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ErrorKind::kNotFound);

  std::ofstream(root / "file") << "x";
  fs::create_directories(root / "taken" / "inside");
  for (const char* taken : {"file", "taken"}) {
    auto refused = RenameFolder(root / "b", root / taken);
    ASSERT_FALSE(refused) << taken;
    EXPECT_EQ(refused.error().kind, ErrorKind::kAlreadyExists) << taken;
  }
  EXPECT_TRUE(fs::exists(root / "b" / "_delta_log" / "0.json"));
  fs::create_directories(root / "empty");
  EXPECT_TRUE(RenameFolder(root / "b", root / "empty"));
}

TEST(RenameFolderTest, ObjectStoresHaveNoFoldersToRename) {
  EXPECT_TRUE(CanRenameFolders("/data/t"));
  EXPECT_TRUE(CanRenameFolders("file:///data/t"));
  EXPECT_FALSE(CanRenameFolders("s3://bucket/t"));
  EXPECT_FALSE(CanRenameFolders("memory://bucket/t"));
}

}  // namespace
}  // namespace weir::storage
