// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "storage/http/http_client.h"

namespace weir::storage {

/// Tokens of Microsoft Entra for storage, as Azure's tools find them: an application
/// (AZURE_TENANT_ID and AZURE_CLIENT_ID with AZURE_CLIENT_SECRET, or with
/// AZURE_FEDERATED_TOKEN_FILE in Kubernetes; AZURE_AUTHORITY_HOST), else the machine's managed
/// identity (IDENTITY_ENDPOINT and IDENTITY_HEADER of an app service, else the instance metadata
/// service, for AZURE_CLIENT_ID where several are there). A token is asked for again five minutes
/// before it ends. Thread-safe.
class AzureIdentity {
 public:
  explicit AzureIdentity(const Clock* clock = &Clock::System()) : clock_(clock) {}

  /// Empty where there is no identity: then only public containers can be read. Errors: kIo
  /// WEIR_STORE_CREDENTIALS when an application is named and gets no token.
  Result<std::string> Token();

 private:
  struct Grant {
    std::string token;
    int64_t expires_ms = 0;
  };
  Result<Grant> Ask();
  Result<Grant> OfApplication(const std::string& tenant, const std::string& client);
  Result<Grant> OfMachine();
  Result<Grant> Parse(const std::string& from, const HttpResponse& response) const;

  const Clock* clock_;
  std::mutex mutex_;
  HttpClient http_;
  std::optional<Grant> current_;
};

}  // namespace weir::storage
