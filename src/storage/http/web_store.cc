// SPDX-License-Identifier: Apache-2.0
#include "storage/http/web_store.h"

#include <algorithm>
#include <utility>

#include "storage/errors.h"
#include "storage/location.h"

namespace weir::storage {
namespace {

Error ReadOnly(const std::string& path) {
  return UnsupportedFeature("WEIR_READ_ONLY_STORE",
                            "'" + path +
                                "' is read over HTTP, by which nothing is written; write to it by "
                                "the store's own address (s3://, abfss://, gs://, a path)");
}

Error NoListing(const std::string& directory) {
  return UnsupportedFeature(std::string(kListingUnsupported),
                            "the files in '" + directory +
                                "' cannot be listed over HTTP: name the table itself by its whole "
                                "address, or use the store's own (s3://, abfss://, gs://)");
}

/// There is no way to write: every step says so.
class NoUpload final : public Upload {
 public:
  explicit NoUpload(std::string path) : path_(std::move(path)) {}
  Status Append(std::string_view) override { return Fail(ReadOnly(path_)); }
  Status Finish() override { return Fail(ReadOnly(path_)); }

 private:
  const std::string path_;
};

}  // namespace

Result<HttpResponse> WebStore::Ask(const Call& call) {
  if (!IsBelow(root_, call.path)) return Fail(NotInStore(root_, call.path));
  HttpRequest request;
  request.method = call.method;
  request.url = root_ + "/" + UrlEncode(KeyBelow(root_, call.path), true);
  request.headers = call.headers;
  request.body = call.body;
  request.follows_redirects = true;
  return http_.Send([&] { return request; }, call.retry);
}

Error WebStore::Explain(std::string_view action, const std::string& path,
                        const HttpResponse& response) const {
  if (response.status == 0) return StoreFailed(action, path, response.failure);
  if (response.status == 404 || response.status == 410) return ObjectNotFound(path);
  std::string reason = "HTTP status " + std::to_string(response.status);
  if (response.status == 401 || response.status == 403) {
    reason +=
        ": denied. Some stores say so of a file that is not there: its server must answer 404 for "
        "a table to be read";
  }
  return StoreFailed(action, path, reason);
}

Result<std::vector<ObjectInfo>> WebStore::ListFolder(const std::string& directory, std::string_view,
                                                     bool) {
  return Fail(NoListing(directory));
}

Result<std::vector<ObjectInfo>> WebStore::ListDirectory(const std::string& directory) {
  return Fail(NoListing(directory));
}

Result<std::vector<ObjectInfo>> WebStore::ListRecursive(const std::string& directory) {
  return Fail(NoListing(directory));
}

Status WebStore::Put(const std::string& path, std::string_view) { return Fail(ReadOnly(path)); }

Status WebStore::Delete(const std::string& path) { return Fail(ReadOnly(path)); }

Status WebStore::DeleteRecursive(const std::string& directory) { return Fail(ReadOnly(directory)); }

Result<HttpResponse> WebStore::PutConditionally(const std::string& path, std::string_view) {
  return Fail(ReadOnly(path));
}

std::unique_ptr<Upload> WebStore::StartUpload(const std::string& path) {
  return std::make_unique<NoUpload>(path);
}

Result<std::shared_ptr<ObjectStore>> OpenWebStore(std::string_view url, const StoreSettings&) {
  const size_t start = std::min(url.size(), SchemeOf(url).size() + 3);
  const std::string root(url.substr(0, url.find('/', start)));
  if (root.size() == start) {
    return Fail(InvalidArgument("WEIR_INVALID_LOCATION", "'" + std::string(url) +
                                                             "' names no host; expected "
                                                             "https://host/path/of/the/table"));
  }
  return std::make_shared<WebStore>(root);
}

}  // namespace weir::storage
