// SPDX-License-Identifier: Apache-2.0
#include "engine/remote/remote_file_system.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "duckdb/main/database.hpp"

#include "base/text.h"
#include "engine/duckdb_errors.h"
#include "engine/remote/secrets.h"
#include "storage/remote_store.h"

namespace duckdb {
// Its header (string_common.hpp) includes one of a library that is not beside the others.
DUCKDB_API bool Glob(const char* s, idx_t slen, const char* pattern, idx_t plen,
                     bool allow_question_mark);
}  // namespace duckdb

namespace weir::engine {
namespace {

// A Parquet reader asks for the last bytes and then for the footer before them: one request fetches
// both.
constexpr int64_t kTailBytes = 64 * 1024;

std::shared_ptr<storage::RemoteStore> StoreOf(duckdb::DatabaseInstance& db,
                                              const std::string& path) {
  return std::static_pointer_cast<storage::RemoteStore>(OrThrow(OpenStore(db, path)));
}

}  // namespace

struct RemoteFileSystem::Handle final : public duckdb::FileHandle {
  Handle(RemoteFileSystem& files, const std::string& path, duckdb::FileOpenFlags flags,
         std::shared_ptr<storage::RemoteStore> store)
      : FileHandle(files, path, flags), store(std::move(store)) {}

  void Close() override {
    if (auto finished = std::exchange(upload, nullptr)) OrThrow(finished->Finish());
  }

  /// The bytes from `offset`, of the end of the file in memory where they are part of it.
  std::string Bytes(int64_t offset, int64_t length) {
    const int64_t tail_from = TailOf(path, info.size).offset;
    if (offset < tail_from || offset + length > info.size)
      return OrThrow(store->GetRange(path, offset, length));
    std::lock_guard lock(tail_mutex);
    if (auto source = std::exchange(ahead, nullptr)) tail = source->Get(place);
    if (!tail)
      tail = std::make_shared<const std::string>(
          OrThrow(store->GetRange(path, tail_from, info.size - tail_from)));
    return tail->substr(static_cast<size_t>(offset - tail_from), static_cast<size_t>(length));
  }

  const std::shared_ptr<storage::RemoteStore> store;
  storage::ObjectInfo info;
  std::unique_ptr<storage::Upload> upload;  // of a file that is written
  duckdb::idx_t position = 0;
  std::mutex tail_mutex;
  std::shared_ptr<const std::string> tail;
  std::shared_ptr<storage::ReadAhead> ahead;  // null where nothing is read ahead, or no more
  size_t place = 0;                           // of this file in it
};

namespace {

struct ReadAheads {
  std::mutex mutex;
  uint64_t last = 0;
  std::map<uint64_t, std::shared_ptr<storage::ReadAhead>> known;
};

ReadAheads& Registry() {
  static ReadAheads registry;
  return registry;
}

}  // namespace

storage::ReadAhead::Piece TailOf(const std::string& path, int64_t size) {
  const int64_t from = std::max<int64_t>(0, size - kTailBytes);
  return {path, from, size - from};
}

RegisteredReadAhead::RegisteredReadAhead(std::shared_ptr<storage::ReadAhead> ahead) {
  auto& registry = Registry();
  std::lock_guard lock(registry.mutex);
  number_ = ++registry.last;
  registry.known.emplace(number_, std::move(ahead));
}

RegisteredReadAhead::~RegisteredReadAhead() {
  auto& registry = Registry();
  // What it waits for is not waited for under the lock.
  std::shared_ptr<storage::ReadAhead> gone;
  std::lock_guard lock(registry.mutex);
  gone = std::move(registry.known[number_]);
  registry.known.erase(number_);
}

std::shared_ptr<storage::ReadAhead> RegisteredReadAhead::Find(uint64_t number) {
  auto& registry = Registry();
  std::lock_guard lock(registry.mutex);
  const auto found = registry.known.find(number);
  return found == registry.known.end() ? nullptr : found->second;
}

duckdb::unique_ptr<duckdb::FileHandle> RemoteFileSystem::OpenFile(
    const std::string& path, duckdb::FileOpenFlags flags,
    duckdb::optional_ptr<duckdb::FileOpener>) {
  auto handle = duckdb::make_uniq<Handle>(*this, path, flags, StoreOf(db_, path));
  if (flags.OpenForWriting()) {
    if (flags.OpenForReading() || flags.OpenForAppending()) {
      Throw(UnsupportedFeature("WEIR_IO_ERROR", "'" + path +
                                                    "' can only be read, or written anew: objects "
                                                    "in a store do not change"));
    }
    handle->upload = handle->store->StartUpload(path);
    return handle;
  }
  auto info = handle->store->Head(path);
  if (info) {
    handle->info = std::move(*info);
  } else if (info.error().kind == ErrorKind::kNotFound && flags.ReturnNullIfNotExists()) {
    return nullptr;
  } else {
    Throw(info.error());
  }
  return handle;
}

duckdb::unique_ptr<duckdb::FileHandle> RemoteFileSystem::OpenFileExtended(
    const duckdb::OpenFileInfo& info, duckdb::FileOpenFlags flags,
    duckdb::optional_ptr<duckdb::FileOpener> opener) {
  if (!info.extended_info || flags.OpenForWriting()) return OpenFile(info.path, flags, opener);
  const auto& options = info.extended_info->options;
  const auto size = options.find("file_size");
  const auto modified = options.find("last_modified");
  if (size == options.end() || modified == options.end()) return OpenFile(info.path, flags, opener);
  auto handle = duckdb::make_uniq<Handle>(*this, info.path, flags, StoreOf(db_, info.path));
  handle->info.path = info.path;
  handle->info.size = static_cast<int64_t>(size->second.GetValue<uint64_t>());
  handle->info.modified_ms = modified->second.GetValue<duckdb::timestamp_t>().value / 1000;
  if (const auto ahead = options.find("read_ahead"); ahead != options.end()) {
    handle->ahead = RegisteredReadAhead::Find(ahead->second.GetValue<uint64_t>());
    handle->place = options.at("place").GetValue<uint64_t>();
  }
  return handle;
}

void RemoteFileSystem::Read(duckdb::FileHandle& handle, void* buffer, int64_t nr_bytes,
                            duckdb::idx_t location) {
  const std::string bytes = handle.Cast<Handle>().Bytes(static_cast<int64_t>(location), nr_bytes);
  std::memcpy(buffer, bytes.data(), bytes.size());
}

int64_t RemoteFileSystem::Read(duckdb::FileHandle& handle, void* buffer, int64_t nr_bytes) {
  auto& file = handle.Cast<Handle>();
  const int64_t left = file.info.size - static_cast<int64_t>(file.position);
  const int64_t length = std::max<int64_t>(0, std::min(nr_bytes, left));
  if (length > 0) Read(handle, buffer, length, file.position);
  file.position += static_cast<duckdb::idx_t>(length);
  return length;
}

void RemoteFileSystem::Write(duckdb::FileHandle& handle, void* buffer, int64_t nr_bytes,
                             duckdb::idx_t location) {
  if (location != handle.Cast<Handle>().position)
    Throw(InternalError("'" + handle.path + "' is written from start to end"));
  Write(handle, buffer, nr_bytes);
}

int64_t RemoteFileSystem::Write(duckdb::FileHandle& handle, void* buffer, int64_t nr_bytes) {
  auto& file = handle.Cast<Handle>();
  OrThrow(file.upload->Append({static_cast<const char*>(buffer), static_cast<size_t>(nr_bytes)}));
  file.position += static_cast<duckdb::idx_t>(nr_bytes);
  return nr_bytes;
}

int64_t RemoteFileSystem::GetFileSize(duckdb::FileHandle& handle) {
  auto& file = handle.Cast<Handle>();
  return file.upload ? static_cast<int64_t>(file.position) : file.info.size;
}

duckdb::timestamp_t RemoteFileSystem::GetLastModifiedTime(duckdb::FileHandle& handle) {
  return duckdb::timestamp_t(handle.Cast<Handle>().info.modified_ms * 1000);
}

duckdb::FileType RemoteFileSystem::GetFileType(duckdb::FileHandle&) {
  return duckdb::FileType::FILE_TYPE_REGULAR;
}

void RemoteFileSystem::FileSync(duckdb::FileHandle&) {}

bool RemoteFileSystem::FileExists(const std::string& path,
                                  duckdb::optional_ptr<duckdb::FileOpener>) {
  auto info = StoreOf(db_, path)->Head(path);
  if (!info && info.error().kind != ErrorKind::kNotFound) Throw(info.error());
  return info.has_value();
}

void RemoteFileSystem::RemoveFile(const std::string& path,
                                  duckdb::optional_ptr<duckdb::FileOpener>) {
  OrThrow(StoreOf(db_, path)->Delete(path));
}

bool RemoteFileSystem::TryRemoveFile(const std::string& path,
                                     duckdb::optional_ptr<duckdb::FileOpener> opener) {
  const bool exists = FileExists(path, opener);
  if (exists) RemoveFile(path, opener);
  return exists;
}

bool RemoteFileSystem::DirectoryExists(const std::string&,
                                       duckdb::optional_ptr<duckdb::FileOpener>) {
  return true;
}

void RemoteFileSystem::CreateDirectory(const std::string&,
                                       duckdb::optional_ptr<duckdb::FileOpener>) {}

void RemoteFileSystem::CreateDirectoriesRecursive(const std::string&,
                                                  duckdb::optional_ptr<duckdb::FileOpener>) {}

duckdb::vector<duckdb::OpenFileInfo> RemoteFileSystem::Glob(const std::string& path,
                                                            duckdb::FileOpener*) {
  duckdb::vector<duckdb::OpenFileInfo> found;
  if (!HasGlob(path)) {
    if (FileExists(path, nullptr)) found.emplace_back(path);
    return found;
  }
  const std::string plain = path.substr(0, path.find_first_of("*?["));
  const std::string folder = plain.substr(0, plain.rfind('/'));
  for (const auto& entry : OrThrow(StoreOf(db_, path)->ListRecursive(folder))) {
    if (duckdb::Glob(entry.path.data(), entry.path.size(), path.data(), path.size(), true))
      found.emplace_back(entry.path);
  }
  return found;
}

bool RemoteFileSystem::CanHandleFile(const std::string& path) {
  if (!storage::IsRemoteLocation(path)) return false;
  if (!StartsWith(path, "http")) return true;
  // Of the web, what DuckDB's own extension is there for is left to it.
  return path.find('?') == std::string::npos && !db_.ExtensionIsLoaded("httpfs");
}

void RemoteFileSystem::Seek(duckdb::FileHandle& handle, duckdb::idx_t location) {
  handle.Cast<Handle>().position = location;
}

duckdb::idx_t RemoteFileSystem::SeekPosition(duckdb::FileHandle& handle) {
  return handle.Cast<Handle>().position;
}

void RegisterRemoteFiles(duckdb::DatabaseInstance& db) {
  db.GetFileSystem().RegisterSubSystem(duckdb::make_uniq<RemoteFileSystem>(db));
}

}  // namespace weir::engine
