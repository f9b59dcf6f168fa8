// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "storage/azure/azure_identity.h"
#include "storage/azure/azure_location.h"
#include "storage/http/http_store.h"
#include "storage/store_settings.h"

namespace weir::storage {

/// One container of Azure Blob Storage or Data Lake Storage Gen2, by the Blob service. Folders are
/// prefixes; the folder blobs of a hierarchical account are in no listing but go with
/// DeleteRecursive. PutIfAbsent is one Put Blob with If-None-Match: *. List with `start_after` asks
/// for the whole folder, as the service cannot start in its middle.
///
/// kIo errors carry the service's own code (AuthenticationFailed, ContainerNotFound, ...).
/// Thread-safe.
class AzureStore final : public HttpStore {
 public:
  explicit AzureStore(AzureEndpoint endpoint, const Clock* clock = &Clock::System());

  Result<std::vector<ObjectInfo>> ListDirectory(const std::string& directory) override;
  Result<std::vector<ObjectInfo>> ListRecursive(const std::string& directory) override;
  Status DeleteRecursive(const std::string& directory) override;
  std::unique_ptr<Upload> StartUpload(const std::string& path) override;

  Result<HttpResponse> Ask(const Call& call) override;
  Error Explain(std::string_view action, const std::string& path,
                const HttpResponse& response) const override;

 protected:
  Result<std::vector<ObjectInfo>> ListFolder(const std::string& directory,
                                             std::string_view start_after, bool only_some) override;
  Result<HttpResponse> PutConditionally(const std::string& path, std::string_view data) override;
  bool IsAlreadyThere(const HttpResponse& response) const override;
  Headers PutHeaders() const override;
  bool IsFolder(const HttpResponse& response) const override;

 private:
  struct Listing {
    std::vector<ObjectInfo> entries;        // sorted by path
    std::vector<std::string> folder_blobs;  // paths
  };
  /// Whether the entries that have come so far will do.
  using IsEnough = std::function<bool(const std::vector<ObjectInfo>&)>;
  Result<Listing> ListKeys(const std::string& directory, const std::string& delimiter,
                           const IsEnough& is_enough);

  const AzureEndpoint endpoint_;
  const Clock* clock_;
  AzureIdentity identity_;
  HttpClient http_;
};

/// `abfss://`, `abfs://`, `wasbs://`, `az://`, `azure://`. Errors: as OpenStore.
Result<std::shared_ptr<ObjectStore>> OpenAzureStore(std::string_view url,
                                                    const StoreSettings& settings);

}  // namespace weir::storage
