// SPDX-License-Identifier: Apache-2.0
#include "storage/empty_folders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "storage/temporary_directory.h"

namespace weir::storage {
namespace {

namespace fs = std::filesystem;

TEST(EmptyFoldersTest, FoldersGoAsFarAsNothingIsInThem) {
  TemporaryDirectory directory;
  const fs::path root = fs::path(directory.path()) / "t";
  fs::create_directories(root / "p=1" / "q=1");
  fs::create_directories(root / "p=2");
  fs::create_directory_symlink(directory.path(), root / "p=2" / "link");
  std::ofstream(root / "file") << "x";
  RemoveEmptyFolders(root.string());
  EXPECT_FALSE(fs::exists(root / "p=1"));
  EXPECT_TRUE(fs::exists(root / "p=2" / "link"));
  EXPECT_TRUE(fs::exists(root / "file"));
  fs::remove(root / "file");
  fs::remove(root / "p=2" / "link");
  RemoveEmptyFolders(root.string());
  EXPECT_FALSE(fs::exists(root));
  RemoveEmptyFolders(root.string());
  RemoveEmptyFolders("memory://bucket/t");
}

}  // namespace
}  // namespace weir::storage
