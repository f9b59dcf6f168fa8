// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/http/http_store.h"
#include "storage/store_settings.h"

namespace weir::storage {

/// Files behind a web server, for reading: `https://host/path`, with the path as it is before
/// percent-encoding. There are no listings (kUnsupportedFeature WEIR_LISTING_UNSUPPORTED) and no
/// writes (kUnsupportedFeature WEIR_READ_ONLY_STORE). Nobody is asked who they are, so that
/// redirects can be followed. A file is absent where the server answers 404 or 410. Thread-safe.
class WebStore final : public HttpStore {
 public:
  /// `root` is scheme and host: `https://host:8443`.
  explicit WebStore(std::string root) : root_(std::move(root)) {}

  Result<std::vector<ObjectInfo>> ListDirectory(const std::string& directory) override;
  Result<std::vector<ObjectInfo>> ListRecursive(const std::string& directory) override;
  Status Put(const std::string& path, std::string_view data) override;
  Status Delete(const std::string& path) override;
  Status DeleteRecursive(const std::string& directory) override;
  std::unique_ptr<Upload> StartUpload(const std::string& path) override;

  Result<HttpResponse> Ask(const Call& call) override;
  Error Explain(std::string_view action, const std::string& path,
                const HttpResponse& response) const override;

 protected:
  Result<std::vector<ObjectInfo>> ListFolder(const std::string& directory,
                                             std::string_view start_after, bool only_some) override;
  Result<HttpResponse> PutConditionally(const std::string& path, std::string_view data) override;
  bool IsAlreadyThere(const HttpResponse&) const override { return false; }

 private:
  const std::string root_;
  HttpClient http_;
};

/// `http://`, `https://`. Errors: kInvalidArgument WEIR_INVALID_LOCATION for a URL without a host.
Result<std::shared_ptr<ObjectStore>> OpenWebStore(std::string_view url,
                                                  const StoreSettings& settings);

}  // namespace weir::storage
