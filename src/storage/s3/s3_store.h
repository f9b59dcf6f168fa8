// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "storage/http/http_store.h"
#include "storage/s3/aws_credentials.h"
#include "storage/s3/s3_location.h"
#include "storage/store_settings.h"

namespace weir::storage {

/// One bucket of S3, of a service that speaks its protocol, or of Google Cloud Storage (its XML
/// interface, which differs in names of headers). Folders are prefixes.
///
/// PutIfAbsent is one PUT with the condition that nothing is there (If-None-Match: *; Google:
/// generation match 0). A server that ignores the condition would lose commits: a custom endpoint
/// is tried once, with an object of its own that is deleted again, before the first such write, and
/// refused with kUnsupportedFeature WEIR_CONDITIONAL_PUT_UNSUPPORTED.
///
/// kIo errors carry the service's own code (AccessDenied, NoSuchBucket, RequestTimeTooSkewed, ...).
/// Thread-safe.
class S3Store final : public HttpStore {
 public:
  /// `bearer_token`, when there is one, is sent in place of a signature (Google's OAuth).
  S3Store(S3Endpoint endpoint, AwsCredentials credentials, std::string bearer_token,
          const Clock* clock = &Clock::System());

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

 private:
  /// `narrowing`: delimiter and start-after, where they are wanted. `only_some`: up to the page of
  /// the first object.
  Result<std::vector<ObjectInfo>> ListKeys(const std::string& directory, Query narrowing,
                                           bool only_some);
  Result<HttpResponse> TryToPut(const std::string& path, std::string_view data);
  Status CheckConditions(const std::string& directory);

  const S3Endpoint endpoint_;
  const std::string bearer_token_;
  const Clock* clock_;
  AwsCredentialChain credentials_;
  HttpClient http_;
  std::mutex check_mutex_;
  bool conditions_hold_;
};

/// `s3://`, `s3a://`, `s3n://`; `gs://`, `gcs://`. Who asks is what `settings` say, else on S3 what
/// AwsCredentialChain finds, on Google's the token in GOOGLE_OAUTH_ACCESS_TOKEN, else nobody.
/// Errors: as OpenStore.
Result<std::shared_ptr<ObjectStore>> OpenS3Store(std::string_view url,
                                                 const StoreSettings& settings);

}  // namespace weir::storage
