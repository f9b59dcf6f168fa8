// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "duckdb/common/file_system.hpp"

#include "storage/read_ahead.h"

namespace duckdb {
class DatabaseInstance;
}

namespace weir::engine {

/// The remote stores of src/storage as a file system of DuckDB's, so that data files and any
/// read_parquet('s3://...') go the same way as the log: one client, one set of credentials. A file
/// is read by ranges, and written from start to end; it appears when it is closed, and never if its
/// writer is given up. Thread-safe; a handle is for one thread when it writes.
class RemoteFileSystem final : public duckdb::FileSystem {
 public:
  explicit RemoteFileSystem(duckdb::DatabaseInstance& db) : db_(db) {}

  duckdb::unique_ptr<duckdb::FileHandle> OpenFile(
      const std::string& path, duckdb::FileOpenFlags flags,
      duckdb::optional_ptr<duckdb::FileOpener> opener) override;
  /// Asks nothing of the store where the caller knows the file's size: options `file_size`
  /// (UBIGINT) and `last_modified` (TIMESTAMP) of `info`. A file that is not there is then found
  /// out by the first read. With `read_ahead` and `place` (UBIGINT, of a RegisteredReadAhead) the
  /// end of the file is taken from there.
  duckdb::unique_ptr<duckdb::FileHandle> OpenFileExtended(
      const duckdb::OpenFileInfo& info, duckdb::FileOpenFlags flags,
      duckdb::optional_ptr<duckdb::FileOpener> opener) override;
  bool SupportsOpenFileExtended() const override { return true; }
  void Read(duckdb::FileHandle& handle, void* buffer, int64_t nr_bytes,
            duckdb::idx_t location) override;
  int64_t Read(duckdb::FileHandle& handle, void* buffer, int64_t nr_bytes) override;
  void Write(duckdb::FileHandle& handle, void* buffer, int64_t nr_bytes,
             duckdb::idx_t location) override;
  int64_t Write(duckdb::FileHandle& handle, void* buffer, int64_t nr_bytes) override;
  int64_t GetFileSize(duckdb::FileHandle& handle) override;
  duckdb::timestamp_t GetLastModifiedTime(duckdb::FileHandle& handle) override;
  duckdb::FileType GetFileType(duckdb::FileHandle& handle) override;
  void FileSync(duckdb::FileHandle& handle) override;
  bool FileExists(const std::string& path,
                  duckdb::optional_ptr<duckdb::FileOpener> opener) override;
  void RemoveFile(const std::string& path,
                  duckdb::optional_ptr<duckdb::FileOpener> opener) override;
  bool TryRemoveFile(const std::string& path,
                     duckdb::optional_ptr<duckdb::FileOpener> opener) override;
  /// Folders are prefixes of names: there is nothing to make, and all of them exist.
  bool DirectoryExists(const std::string& path,
                       duckdb::optional_ptr<duckdb::FileOpener> opener) override;
  void CreateDirectory(const std::string& path,
                       duckdb::optional_ptr<duckdb::FileOpener> opener) override;
  void CreateDirectoriesRecursive(const std::string& path,
                                  duckdb::optional_ptr<duckdb::FileOpener> opener) override;
  duckdb::vector<duckdb::OpenFileInfo> Glob(const std::string& path,
                                            duckdb::FileOpener* opener) override;
  bool CanHandleFile(const std::string& path) override;
  void Seek(duckdb::FileHandle& handle, duckdb::idx_t location) override;
  duckdb::idx_t SeekPosition(duckdb::FileHandle& handle) override;
  bool CanSeek() override { return true; }
  bool OnDiskFile(duckdb::FileHandle&) override { return false; }
  std::string GetName() const override { return "weir-remote"; }

 private:
  struct Handle;

  duckdb::DatabaseInstance& db_;
};

/// The end of a file of this size, of which one request fetches what a Parquet reader asks for
/// first: the whole of a small file, footer and all.
storage::ReadAhead::Piece TailOf(const std::string& path, int64_t size);

/// A ReadAhead of tails under a number that a file's options can carry, and that leads to nothing
/// once this is gone. Thread-safe.
class RegisteredReadAhead {
 public:
  explicit RegisteredReadAhead(std::shared_ptr<storage::ReadAhead> ahead);
  ~RegisteredReadAhead();
  RegisteredReadAhead(const RegisteredReadAhead&) = delete;
  RegisteredReadAhead& operator=(const RegisteredReadAhead&) = delete;
  uint64_t number() const { return number_; }
  /// Null when it is gone.
  static std::shared_ptr<storage::ReadAhead> Find(uint64_t number);

 private:
  uint64_t number_;
};

/// Adds it to `db`, before any that an extension adds later.
void RegisterRemoteFiles(duckdb::DatabaseInstance& db);

}  // namespace weir::engine
