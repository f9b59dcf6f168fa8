// SPDX-License-Identifier: Apache-2.0
#include "storage/local_store.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "storage/temporary_directory.h"

namespace weir::storage {
namespace {

namespace fs = std::filesystem;

class LocalStoreTest : public testing::Test {
 protected:
  std::string Path(std::string_view name) const { return JoinPath(directory_.path(), name); }
  void WriteRaw(std::string_view name, std::string_view data) const {
    fs::create_directories(fs::path(Path(name)).parent_path());
    std::ofstream(Path(name)) << data;
  }
  size_t FilesOnDisk() const {
    size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(directory_.path())) {
      count += entry.is_regular_file() ? 1 : 0;
    }
    return count;
  }

  TemporaryDirectory directory_;
  LocalStore store_;
};

TEST_F(LocalStoreTest, TwoProcessesRaceAndExactlyOneWinsEachName) {
  constexpr int kProcesses = 4;
  constexpr int kNames = 50;
  int gate[2];
  ASSERT_EQ(::pipe(gate), 0);
  std::vector<pid_t> children;
  for (int id = 0; id < kProcesses; ++id) {
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(gate[1]);
      char byte;
      (void)!::read(gate[0], &byte, 1);  // All start when the parent closes its end.
      int wins = 0;
      for (int name = 0; name < kNames; ++name) {
        wins +=
            store_.PutIfAbsent(Path(std::to_string(name)), "writer " + std::to_string(id)) ? 1 : 0;
      }
      ::_exit(wins);
    }
    children.push_back(child);
  }
  ::close(gate[0]);
  ::close(gate[1]);
  int wins = 0;
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    wins += WEXITSTATUS(status);
  }
  EXPECT_EQ(wins, kNames);
  EXPECT_EQ(FilesOnDisk(), static_cast<size_t>(kNames));
}

TEST_F(LocalStoreTest, NoTemporaryFileStaysBehind) {
  ASSERT_TRUE(store_.PutIfAbsent(Path("x"), "1"));
  EXPECT_FALSE(store_.PutIfAbsent(Path("x"), "2"));
  ASSERT_TRUE(store_.Put(Path("y"), "1"));
  EXPECT_EQ(FilesOnDisk(), 2u);
}

TEST_F(LocalStoreTest, TemporaryFilesOfADeadWriterAreNoObjects) {
  WriteRaw(".weir-0b7ae5f2-0000-0000-0000-000000000000.tmp", "half a com");
  ASSERT_TRUE(store_.Put(Path("x"), "1"));
  EXPECT_EQ(store_.List(directory_.path())->size(), 1u);
  EXPECT_EQ(store_.ListDirectory(directory_.path())->size(), 1u);
  EXPECT_EQ(store_.ListRecursive(directory_.path())->size(), 1u);
}

TEST_F(LocalStoreTest, AFullDiskIsAnIoErrorThatNamesPathAndCauseAndLeavesNothing) {
  // A limit on the size of files stands in for a full disk: write(2) fails after a part was
  // written.
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{100, 100};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto status = store_.PutIfAbsent(Path("big"), std::string(1000, 'x'));
    bool is_right = !status && status.error().kind == ErrorKind::kIo &&
                    status.error().message.find(Path("big")) != std::string::npos &&
                    status.error().message.find("File too large") != std::string::npos;
    ::_exit(is_right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(FilesOnDisk(), 0u);
}

TEST_F(LocalStoreTest, AFileInTheWayOfAFolderIsAnIoError) {
  WriteRaw("file", "1");
  auto status = store_.Put(Path("file/below"), "x");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kIo);
  EXPECT_NE(status.error().message.find("Not a directory"), std::string::npos);
}

TEST_F(LocalStoreTest, PathsWithAZeroByteAreRefused) {
  WriteRaw("x", "1");
  std::string path = Path("x") + std::string("\0.tmp", 5);
  EXPECT_EQ(store_.Get(path).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(store_.Delete(path).error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(store_.Put(path, "2").error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(*store_.Get(Path("x")), "1");
}

TEST_F(LocalStoreTest, CleaningUpNeverFollowsSymbolicLinks) {
  WriteRaw("outside/precious", "1");
  WriteRaw("table/a", "1");
  fs::create_directory_symlink(Path("outside"), Path("table/link"));
  fs::create_symlink(Path("outside/precious"), Path("table/file_link"));
  auto listed = store_.ListRecursive(Path("table"));
  ASSERT_EQ(listed->size(), 1u);
  EXPECT_EQ(listed->front().path, Path("table/a"));
  ASSERT_TRUE(store_.DeleteRecursive(Path("table")));
  EXPECT_TRUE(fs::exists(Path("outside/precious")));
}

TEST_F(LocalStoreTest, ADanglingLinkIsLeftOutOfListings) {
  WriteRaw("d/a", "1");
  fs::create_symlink(Path("nowhere"), Path("d/dangling"));
  fs::create_symlink(Path("d/a"), Path("d/link"));
  EXPECT_EQ(store_.List(Path("d"))->size(), 2u);
  EXPECT_EQ(store_.Get(Path("d/dangling")).error().kind, ErrorKind::kNotFound);
}

TEST_F(LocalStoreTest, ReplacingAFileDropsTheChecksumThatHadoopKeptOfIt) {
  WriteRaw("_last_checkpoint", "old");
  WriteRaw("._last_checkpoint.crc", "sum");
  WriteRaw("x.checkpoint.parquet", "old");
  WriteRaw(".x.checkpoint.parquet.crc", "sum");
  ASSERT_TRUE(store_.Put(Path("_last_checkpoint"), "new"));
  EXPECT_FALSE(fs::exists(Path("._last_checkpoint.crc")));
  ASSERT_TRUE(store_.Delete(Path("x.checkpoint.parquet")));
  EXPECT_FALSE(fs::exists(Path(".x.checkpoint.parquet.crc")));
}

}  // namespace
}  // namespace weir::storage
