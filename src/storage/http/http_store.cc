// SPDX-License-Identifier: Apache-2.0
#include "storage/http/http_store.h"

#include <cstdlib>

#include "base/parallel.h"
#include "base/text.h"
#include "storage/errors.h"
#include "storage/times.h"

namespace weir::storage {
namespace {

constexpr size_t kParallelDeletes = 16;

// The server may have done it.
bool IsOutcomeUnknown(const HttpResponse& response) {
  if (response.status == 0) return response.was_sent;
  const bool was_refused = response.status == 501 || response.status == 503;
  return response.status == 408 || (response.status >= 500 && !was_refused);
}

ObjectInfo InfoOf(const std::string& path, const HttpResponse& response) {
  ObjectInfo info;
  info.path = path;
  info.size = std::strtoll(std::string(response.header("content-length")).c_str(), nullptr, 10);
  info.modified_ms = ParseHttpTime(std::string(response.header("last-modified")));
  return info;
}

}  // namespace

// Folders and names that come too early are no part of a listing.
bool HttpStore::IsListed(const ObjectInfo& entry, std::string_view start_after) {
  return !entry.is_directory && (start_after.empty() || BaseName(entry.path) > start_after);
}

Result<std::string> HttpStore::Get(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(auto response, Ask({.method = "GET", .path = path}));
  if (!response.is_success()) return Fail(Explain("read", path, response));
  return std::move(response.body);
}

Result<std::string> HttpStore::GetRange(const std::string& path, int64_t offset, int64_t length) {
  if (offset < 0 || length < 0) {
    return Fail(InvalidArgument("WEIR_INVALID_RANGE", "a range of '" + path + "' is negative"));
  }
  // HTTP has no word for a range of nothing.
  if (length == 0 || length > INT64_MAX - offset) {
    WEIR_ASSIGN_OR_RETURN(const auto info, Head(path));
    if (length == 0 && offset <= info.size) return std::string();
    return Fail(RangeNotSatisfiable(path, offset, length, info.size));
  }
  const std::string range =
      "bytes=" + std::to_string(offset) + "-" + std::to_string(offset + length - 1);
  WEIR_ASSIGN_OR_RETURN(auto response,
                        Ask({.method = "GET", .path = path, .headers = {{"Range", range}}}));
  if (response.status == 416) {
    WEIR_ASSIGN_OR_RETURN(const auto info, Head(path));
    return Fail(RangeNotSatisfiable(path, offset, length, info.size));
  }
  if (!response.is_success()) return Fail(Explain("read", path, response));
  const auto found = static_cast<int64_t>(response.body.size());
  // A plain web server may know no ranges, and sends all.
  if (response.status == 200 && length <= found && offset <= found - length)
    return response.body.substr(static_cast<size_t>(offset), static_cast<size_t>(length));
  if (response.status != 206 || found != length)
    return Fail(RangeNotSatisfiable(path, offset, length, offset + found));
  return std::move(response.body);
}

Result<ObjectStart> HttpStore::GetStart(const std::string& path, int64_t limit) {
  const std::string range = "bytes=0-" + std::to_string(limit - 1);
  WEIR_ASSIGN_OR_RETURN(auto response,
                        Ask({.method = "GET", .path = path, .headers = {{"Range", range}}}));
  ObjectStart start;
  // Of an object of nothing there is no first byte.
  if (response.status == 416) {
    WEIR_ASSIGN_OR_RETURN(start.info, Head(path));
    return start;
  }
  if (!response.is_success()) return Fail(Explain("read", path, response));
  start.info = InfoOf(path, response);
  start.info.size = static_cast<int64_t>(response.body.size());
  if (response.status == 206) {
    const std::string_view whole = response.header("content-range");
    const auto total = ParseInt64(whole.substr(std::min(whole.rfind('/'), whole.size() - 1) + 1));
    if (!total || *total < start.info.size || start.info.size != std::min(*total, limit)) {
      return Fail(StoreFailed("read", path,
                              "the answer to a range says '" + std::string(whole) + "' and has " +
                                  std::to_string(start.info.size) + " bytes"));
    }
    start.info.size = *total;
  }
  start.bytes = std::move(response.body);
  return start;
}

Result<ObjectInfo> HttpStore::Head(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(const auto response, Ask({.method = "HEAD", .path = path}));
  if (!response.is_success()) return Fail(Explain("read", path, response));
  if (IsFolder(response)) return Fail(ObjectNotFound(path));
  return InfoOf(path, response);
}

Result<std::vector<ObjectInfo>> HttpStore::List(const std::string& directory,
                                                std::string_view start_after) {
  WEIR_ASSIGN_OR_RETURN(auto entries, ListFolder(directory, start_after, false));
  std::erase_if(entries, [&](const ObjectInfo& entry) { return !IsListed(entry, start_after); });
  return entries;
}

Result<std::vector<ObjectInfo>> HttpStore::ListSome(const std::string& directory,
                                                    std::string_view start_after) {
  WEIR_ASSIGN_OR_RETURN(auto entries, ListFolder(directory, start_after, true));
  std::erase_if(entries, [&](const ObjectInfo& entry) { return !IsListed(entry, start_after); });
  return entries;
}

Status HttpStore::Put(const std::string& path, std::string_view data) {
  WEIR_ASSIGN_OR_RETURN(
      const auto response,
      Ask({.method = "PUT", .path = path, .headers = PutHeaders(), .body = data}));
  if (!response.is_success()) return Fail(Explain("write", path, response));
  return {};
}

Status HttpStore::PutIfAbsent(const std::string& path, std::string_view data) {
  WEIR_ASSIGN_OR_RETURN(const auto response, PutConditionally(path, data));
  if (response.is_success()) return {};
  if (IsAlreadyThere(response)) return Fail(ObjectAlreadyExists(path));
  Error error = Explain("write", path, response);
  return Fail(IsOutcomeUnknown(response) ? WriteStateUnknown(path, error.message)
                                         : std::move(error));
}

Status HttpStore::Delete(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(const auto response, Ask({.method = "DELETE", .path = path}));
  if (response.is_success()) return {};
  Error error = Explain("delete", path, response);
  if (error.kind == ErrorKind::kNotFound) return {};
  return Fail(std::move(error));
}

Status HttpStore::DeleteAll(const std::vector<ObjectInfo>& objects) {
  return TryParallelFor(objects.size(), kParallelDeletes,
                        [&](size_t i) { return Delete(objects[i].path); });
}

}  // namespace weir::storage
