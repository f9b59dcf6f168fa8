// SPDX-License-Identifier: Apache-2.0
#include "engine/checkpoint/object_file_system.h"

#include <cstring>
#include <utility>

#include "base/text.h"
#include "engine/duckdb_errors.h"

namespace weir::engine {
namespace {

constexpr const char* kScheme = "weir-object://";

// DuckDB opens a checkpoint three times, and reads its footer each time. Most are smaller than
// this.
constexpr int64_t kStartBytes = int64_t{1} << 20;

}  // namespace

struct ObjectFileSystem::Handle final : public duckdb::FileHandle {
  Handle(ObjectFileSystem& files, const std::string& path, duckdb::FileOpenFlags flags,
         std::shared_ptr<Entry> entry)
      : FileHandle(files, path, flags), entry(std::move(entry)) {}

  void Close() override {}

  std::shared_ptr<Entry> entry;
  storage::ObjectInfo info;
  duckdb::idx_t position = 0;
};

std::string ObjectFileSystem::RegisterObject(storage::ObjectStore& store, const std::string& path) {
  auto entry = std::make_shared<Entry>();
  entry->store = &store;
  entry->path = path;
  return Register(std::move(entry), std::string(storage::BaseName(path)));
}

std::string ObjectFileSystem::RegisterBuffer(const std::string& name) {
  return Register(std::make_shared<Entry>(), name);
}

std::string ObjectFileSystem::Register(std::shared_ptr<Entry> entry, const std::string& name) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::string file = kScheme + std::to_string(++last_number_) + "/" + name;
  entries_[file] = std::move(entry);
  return file;
}

std::string ObjectFileSystem::TakeBuffer(const std::string& file) {
  auto entry = Find(file);
  return entry ? std::move(entry->buffer) : std::string();
}

void ObjectFileSystem::Unregister(const std::string& file) {
  std::lock_guard<std::mutex> lock(mutex_);
  entries_.erase(file);
}

std::shared_ptr<ObjectFileSystem::Entry> ObjectFileSystem::Find(const std::string& file) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto it = entries_.find(file);
  return it == entries_.end() ? nullptr : it->second;
}

duckdb::unique_ptr<duckdb::FileHandle> ObjectFileSystem::OpenFile(
    const std::string& path, duckdb::FileOpenFlags flags,
    duckdb::optional_ptr<duckdb::FileOpener>) {
  auto entry = Find(path);
  if (!entry) Throw(NotFound("WEIR_OBJECT_NOT_FOUND", "no such file: " + path));
  auto handle = duckdb::make_uniq<Handle>(*this, path, flags, entry);
  if (entry->store != nullptr) {
    handle->info = InfoOf(*entry);
  } else if (flags.OpenForWriting()) {
    entry->buffer.clear();
  }
  return duckdb::unique_ptr<duckdb::FileHandle>(std::move(handle));
}

void ObjectFileSystem::Read(duckdb::FileHandle& handle, void* buffer, int64_t nr_bytes,
                            duckdb::idx_t location) {
  auto& file = handle.Cast<Handle>();
  if (file.entry->store == nullptr) Throw(InternalError("a buffer is written only"));
  const std::string bytes = Bytes(*file.entry, static_cast<int64_t>(location), nr_bytes);
  std::memcpy(buffer, bytes.data(), bytes.size());
}

storage::ObjectInfo ObjectFileSystem::InfoOf(Entry& entry) {
  auto* remote = dynamic_cast<storage::RemoteStore*>(entry.store);
  if (remote == nullptr) return OrThrow(entry.store->Head(entry.path));
  std::call_once(entry.is_begun, [&] { entry.start = remote->GetStart(entry.path, kStartBytes); });
  if (!*entry.start) Throw(entry.start->error());
  return (*entry.start)->info;
}

std::string ObjectFileSystem::Bytes(const Entry& entry, int64_t offset, int64_t length) {
  if (entry.start && *entry.start) {
    const std::string& start = (*entry.start)->bytes;
    const auto known = static_cast<int64_t>(start.size());
    if (length <= known && offset <= known - length)
      return start.substr(static_cast<size_t>(offset), static_cast<size_t>(length));
  }
  return OrThrow(entry.store->GetRange(entry.path, offset, length));
}

int64_t ObjectFileSystem::Read(duckdb::FileHandle& handle, void* buffer, int64_t nr_bytes) {
  auto& file = handle.Cast<Handle>();
  int64_t left = file.info.size - static_cast<int64_t>(file.position);
  int64_t length = std::max<int64_t>(0, std::min(nr_bytes, left));
  if (length > 0) Read(handle, buffer, length, file.position);
  file.position += static_cast<duckdb::idx_t>(length);
  return length;
}

void ObjectFileSystem::Write(duckdb::FileHandle& handle, void* buffer, int64_t nr_bytes,
                             duckdb::idx_t location) {
  auto& file = handle.Cast<Handle>();
  file.position = location;
  Write(handle, buffer, nr_bytes);
}

int64_t ObjectFileSystem::Write(duckdb::FileHandle& handle, void* buffer, int64_t nr_bytes) {
  auto& file = handle.Cast<Handle>();
  auto& target = file.entry->buffer;
  if (file.position != target.size()) Throw(InternalError("a buffer is written from start to end"));
  target.append(static_cast<const char*>(buffer), static_cast<size_t>(nr_bytes));
  file.position = target.size();
  return nr_bytes;
}

int64_t ObjectFileSystem::GetFileSize(duckdb::FileHandle& handle) {
  auto& file = handle.Cast<Handle>();
  return file.entry->store ? file.info.size : static_cast<int64_t>(file.entry->buffer.size());
}

duckdb::timestamp_t ObjectFileSystem::GetLastModifiedTime(duckdb::FileHandle& handle) {
  return duckdb::timestamp_t(handle.Cast<Handle>().info.modified_ms * 1000);
}

duckdb::FileType ObjectFileSystem::GetFileType(duckdb::FileHandle&) {
  return duckdb::FileType::FILE_TYPE_REGULAR;
}

void ObjectFileSystem::FileSync(duckdb::FileHandle&) {}

bool ObjectFileSystem::FileExists(const std::string& path,
                                  duckdb::optional_ptr<duckdb::FileOpener>) {
  return Find(path) != nullptr;
}

bool ObjectFileSystem::TryRemoveFile(const std::string& path,
                                     duckdb::optional_ptr<duckdb::FileOpener>) {
  auto entry = Find(path);
  if (entry) entry->buffer.clear();
  return entry != nullptr;
}

duckdb::vector<duckdb::OpenFileInfo> ObjectFileSystem::Glob(const std::string& path,
                                                            duckdb::FileOpener*) {
  duckdb::vector<duckdb::OpenFileInfo> files;
  if (Find(path)) files.emplace_back(path);
  return files;
}

bool ObjectFileSystem::CanHandleFile(const std::string& path) { return StartsWith(path, kScheme); }

void ObjectFileSystem::Seek(duckdb::FileHandle& handle, duckdb::idx_t location) {
  handle.Cast<Handle>().position = location;
}

duckdb::idx_t ObjectFileSystem::SeekPosition(duckdb::FileHandle& handle) {
  return handle.Cast<Handle>().position;
}

}  // namespace weir::engine
