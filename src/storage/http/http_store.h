// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/http/http_client.h"
#include "storage/remote_store.h"

namespace weir::storage {

/// What the stores behind HTTP have in common: an object is a URL that is read by GET (with a range
/// for a part of it), described by HEAD, written by PUT and removed by DELETE. The services differ
/// in how a URL is made, how a request is signed, and how they list. Thread-safe.
class HttpStore : public RemoteStore {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;
  using Query = std::map<std::string, std::string>;

  Result<std::string> Get(const std::string& path) override;
  Result<std::string> GetRange(const std::string& path, int64_t offset, int64_t length) override;
  Result<ObjectInfo> Head(const std::string& path) override;
  Result<ObjectStart> GetStart(const std::string& path, int64_t limit) override;
  Result<std::vector<ObjectInfo>> ListSome(const std::string& directory,
                                           std::string_view start_after) override;
  Result<std::vector<ObjectInfo>> List(const std::string& directory,
                                       std::string_view start_after = {}) override;
  Status Put(const std::string& path, std::string_view data) override;
  /// A PUT with the service's condition that nothing is there; kStateUnknown when its answer is
  /// lost.
  Status PutIfAbsent(const std::string& path, std::string_view data) override;
  Status Delete(const std::string& path) override;

  struct Call {
    const char* method = "GET";
    std::string path{};  ///< Of the object, or of the store itself for a listing.
    Query query{};
    Headers headers{};
    std::string_view body{};  ///< Must live until the answer is there.
    Retry retry = Retry::kSafe;
  };
  /// Signs and sends. Errors: kIo WEIR_STORE_CREDENTIALS; an answer that is a failure, or none, is
  /// no error here.
  virtual Result<HttpResponse> Ask(const Call& call) = 0;
  /// What a failed answer means: kNotFound for a missing object, else kIo with the service's code.
  /// `action` as in StoreFailed.
  virtual Error Explain(std::string_view action, const std::string& path,
                        const HttpResponse& response) const = 0;

 protected:
  /// Whether List shows this entry of the folder.
  static bool IsListed(const ObjectInfo& entry, std::string_view start_after);
  /// As List; what the service can leave out by itself need not be left out here. With `only_some`
  /// what follows the first that IsListed may be missing.
  virtual Result<std::vector<ObjectInfo>> ListFolder(const std::string& directory,
                                                     std::string_view start_after,
                                                     bool only_some) = 0;
  /// The answer of a PUT, under the condition that nothing is there.
  virtual Result<HttpResponse> PutConditionally(const std::string& path, std::string_view data) = 0;
  /// Whether that answer says that something is.
  virtual bool IsAlreadyThere(const HttpResponse& response) const = 0;
  /// What a PUT of a whole object carries.
  virtual Headers PutHeaders() const { return {}; }
  /// Whether the object is a service's placeholder for a folder, by the answer to HEAD.
  virtual bool IsFolder(const HttpResponse&) const { return false; }

  /// Deletes all of them, several at a time; the first error that happens.
  Status DeleteAll(const std::vector<ObjectInfo>& objects);
};

}  // namespace weir::storage
