// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "duckdb/common/file_system.hpp"

#include "storage/object_store.h"
#include "storage/remote_store.h"

namespace weir::engine {

/// Shows objects of ObjectStores to DuckDB as files `weir-object://{number}/{name}`, and takes
/// files that DuckDB writes into memory. Files are known only while they are registered.
/// Thread-safe.
class ObjectFileSystem final : public duckdb::FileSystem {
 public:
  /// An object to read. The store must outlive the registration. Returns the file's name for
  /// DuckDB.
  std::string RegisterObject(storage::ObjectStore& store, const std::string& path);
  /// A file to be written. Returns its name for DuckDB.
  std::string RegisterBuffer(const std::string& name);
  /// What was written to a registered buffer so far, moved out.
  std::string TakeBuffer(const std::string& file);
  void Unregister(const std::string& file);

  duckdb::unique_ptr<duckdb::FileHandle> OpenFile(
      const std::string& path, duckdb::FileOpenFlags flags,
      duckdb::optional_ptr<duckdb::FileOpener> opener) override;
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
  bool TryRemoveFile(const std::string& path,
                     duckdb::optional_ptr<duckdb::FileOpener> opener) override;
  duckdb::vector<duckdb::OpenFileInfo> Glob(const std::string& path,
                                            duckdb::FileOpener* opener) override;
  bool CanHandleFile(const std::string& path) override;
  void Seek(duckdb::FileHandle& handle, duckdb::idx_t location) override;
  duckdb::idx_t SeekPosition(duckdb::FileHandle& handle) override;
  bool CanSeek() override { return true; }
  bool OnDiskFile(duckdb::FileHandle&) override { return false; }
  std::string GetName() const override { return "weir-object"; }

 private:
  struct Entry {
    storage::ObjectStore* store = nullptr;  ///< Null for a buffer.
    std::string path;
    std::string buffer;
    /// Of a remote object: asked for once, whoever opens it how often.
    std::once_flag is_begun;
    std::optional<Result<storage::ObjectStart>> start;
  };
  struct Handle;

  std::string Register(std::shared_ptr<Entry> entry, const std::string& name);
  std::shared_ptr<Entry> Find(const std::string& file);
  /// Size and times; of a remote object its first bytes too, which are kept.
  static storage::ObjectInfo InfoOf(Entry& entry);
  static std::string Bytes(const Entry& entry, int64_t offset, int64_t length);

  std::mutex mutex_;
  uint64_t last_number_ = 0;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
};

/// Registers files for the time of one call.
class RegisteredFile {
 public:
  RegisteredFile(ObjectFileSystem& files, std::string name)
      : files_(files), name_(std::move(name)) {}
  ~RegisteredFile() { files_.Unregister(name_); }
  RegisteredFile(const RegisteredFile&) = delete;
  RegisteredFile& operator=(const RegisteredFile&) = delete;
  const std::string& name() const { return name_; }

 private:
  ObjectFileSystem& files_;
  std::string name_;
};

}  // namespace weir::engine
