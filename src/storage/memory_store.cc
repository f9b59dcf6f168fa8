// SPDX-License-Identifier: Apache-2.0
#include "storage/memory_store.h"

#include <algorithm>

#include "base/text.h"
#include "storage/errors.h"

namespace weir::storage {

ObjectInfo MemoryStore::InfoOf(const Objects::value_type& entry) {
  ObjectInfo info;
  info.path = entry.first;
  info.size = static_cast<int64_t>(entry.second.data.size());
  info.modified_ms = entry.second.modified_ms;
  return info;
}

MemoryStore::Objects::const_iterator MemoryStore::FirstBelow(const std::string& prefix) const {
  return objects_.lower_bound(prefix);
}

Result<std::string> MemoryStore::Get(const std::string& path) {
  std::lock_guard lock(mutex_);
  auto it = objects_.find(path);
  if (it == objects_.end()) return Fail(ObjectNotFound(path));
  return it->second.data;
}

Result<std::string> MemoryStore::GetRange(const std::string& path, int64_t offset, int64_t length) {
  if (offset < 0 || length < 0) {
    return Fail(InvalidArgument("WEIR_INVALID_RANGE", "a range of '" + path + "' is negative"));
  }
  std::lock_guard lock(mutex_);
  auto it = objects_.find(path);
  if (it == objects_.end()) return Fail(ObjectNotFound(path));
  auto size = static_cast<int64_t>(it->second.data.size());
  if (offset > size || length > size - offset) {
    return Fail(RangeNotSatisfiable(path, offset, length, size));
  }
  return it->second.data.substr(static_cast<size_t>(offset), static_cast<size_t>(length));
}

Result<ObjectInfo> MemoryStore::Head(const std::string& path) {
  std::lock_guard lock(mutex_);
  auto it = objects_.find(path);
  if (it == objects_.end()) return Fail(ObjectNotFound(path));
  return InfoOf(*it);
}

Result<std::vector<ObjectInfo>> MemoryStore::List(const std::string& directory,
                                                  std::string_view start_after) {
  WEIR_ASSIGN_OR_RETURN(auto entries, ListDirectory(directory));
  std::erase_if(entries, [&](const ObjectInfo& entry) {
    return entry.is_directory || (!start_after.empty() && BaseName(entry.path) <= start_after);
  });
  return entries;
}

Result<std::vector<ObjectInfo>> MemoryStore::ListDirectory(const std::string& directory) {
  std::lock_guard lock(mutex_);
  std::string prefix = JoinPath(directory, "");
  std::vector<ObjectInfo> entries;
  for (auto it = FirstBelow(prefix); it != objects_.end() && StartsWith(it->first, prefix); ++it) {
    size_t slash = it->first.find('/', prefix.size());
    if (slash == std::string::npos) {
      entries.push_back(InfoOf(*it));
      continue;
    }
    std::string folder = it->first.substr(0, slash);
    auto is_known = [&](const ObjectInfo& entry) {
      return entry.is_directory && entry.path == folder;
    };
    if (std::any_of(entries.rbegin(), entries.rend(), is_known)) continue;
    auto& entry = entries.emplace_back();
    entry.path = std::move(folder);
    entry.is_directory = true;
  }
  // "a/x" sorts behind "a-b" in the map although the folder "a" sorts before it.
  std::sort(entries.begin(), entries.end(),
            [](const ObjectInfo& a, const ObjectInfo& b) { return a.path < b.path; });
  return entries;
}

Result<std::vector<ObjectInfo>> MemoryStore::ListRecursive(const std::string& directory) {
  std::lock_guard lock(mutex_);
  std::string prefix = JoinPath(directory, "");
  std::vector<ObjectInfo> entries;
  for (auto it = FirstBelow(prefix); it != objects_.end() && StartsWith(it->first, prefix); ++it) {
    entries.push_back(InfoOf(*it));
  }
  return entries;
}

Status MemoryStore::Put(const std::string& path, std::string_view data) {
  std::lock_guard lock(mutex_);
  objects_.insert_or_assign(path, Object{std::string(data), clock_->NowMillis()});
  return {};
}

Status MemoryStore::PutIfAbsent(const std::string& path, std::string_view data) {
  std::lock_guard lock(mutex_);
  bool is_new = objects_.try_emplace(path, Object{std::string(data), clock_->NowMillis()}).second;
  if (!is_new) return Fail(ObjectAlreadyExists(path));
  return {};
}

Status MemoryStore::Delete(const std::string& path) {
  std::lock_guard lock(mutex_);
  objects_.erase(path);
  return {};
}

Status MemoryStore::DeleteRecursive(const std::string& directory) {
  std::lock_guard lock(mutex_);
  std::string prefix = JoinPath(directory, "");
  auto first = objects_.lower_bound(prefix);
  auto last = first;
  while (last != objects_.end() && StartsWith(last->first, prefix)) ++last;
  objects_.erase(first, last);
  return {};
}

}  // namespace weir::storage
