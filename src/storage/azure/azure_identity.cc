// SPDX-License-Identifier: Apache-2.0
#include "storage/azure/azure_identity.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>

#include "base/json.h"
#include "base/text.h"
#include "storage/environment.h"

namespace weir::storage {
namespace {

constexpr int64_t kRenewBeforeMs = 5 * 60 * 1000;
constexpr const char* kResource = "https://storage.azure.com/";

Error NoToken(const std::string& from, const std::string& reason) {
  return IoError("WEIR_STORE_CREDENTIALS", "no token from " + from + ": " + reason);
}

}  // namespace

Result<std::string> AzureIdentity::Token() {
  std::lock_guard lock(mutex_);
  if (!current_ || current_->expires_ms - kRenewBeforeMs <= clock_->NowMillis()) {
    WEIR_ASSIGN_OR_RETURN(current_, Ask());
  }
  return current_->token;
}

Result<AzureIdentity::Grant> AzureIdentity::Ask() {
  const std::string tenant = Environment("AZURE_TENANT_ID");
  const std::string client = Environment("AZURE_CLIENT_ID");
  if (!tenant.empty() && !client.empty()) return OfApplication(tenant, client);
  return OfMachine();
}

Result<AzureIdentity::Grant> AzureIdentity::OfApplication(const std::string& tenant,
                                                          const std::string& client) {
  std::string authority = Environment("AZURE_AUTHORITY_HOST");
  if (authority.empty()) authority = "https://login.microsoftonline.com";
  while (EndsWith(authority, "/")) authority.pop_back();
  std::string form = "grant_type=client_credentials&client_id=" + UrlEncode(client) +
                     "&scope=" + UrlEncode(std::string(kResource) + ".default");
  const std::string secret = Environment("AZURE_CLIENT_SECRET");
  if (!secret.empty()) {
    form += "&client_secret=" + UrlEncode(secret);
  } else {
    std::ifstream file(Environment("AZURE_FEDERATED_TOKEN_FILE"), std::ios::binary);
    const std::string assertion{std::istreambuf_iterator<char>(file), {}};
    form += "&client_assertion_type=" +
            UrlEncode("urn:ietf:params:oauth:client-assertion-type:jwt-bearer") +
            "&client_assertion=" + UrlEncode(Trim(assertion));
  }
  HttpRequest request;
  request.method = "POST";
  request.url = authority + "/" + UrlEncode(tenant) + "/oauth2/v2.0/token";
  request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  request.body = form;
  return Parse(request.url, http_.Send([&] { return request; }, Retry::kSafe));
}

Result<AzureIdentity::Grant> AzureIdentity::OfMachine() {
  HttpRequest request;
  const std::string endpoint = Environment("IDENTITY_ENDPOINT");
  const std::string client = Environment("AZURE_CLIENT_ID");
  std::string query = "resource=" + UrlEncode(kResource);
  if (!client.empty()) query += "&client_id=" + UrlEncode(client);
  if (!endpoint.empty()) {
    request.url = endpoint + "?api-version=2019-08-01&" + query;
    request.headers.emplace_back("X-IDENTITY-HEADER", Environment("IDENTITY_HEADER"));
    return Parse(endpoint, http_.Send([&] { return request; }, Retry::kSafe));
  }
  request.url =
      "http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&" + query;
  request.headers.emplace_back("Metadata", "true");
  request.connect_ms = 1000;
  const auto response = http_.Send([&] { return request; }, Retry::kNever);
  // A machine outside of Azure: nobody, and so for good.
  if (response.status == 0) return Grant{{}, std::numeric_limits<int64_t>::max()};
  return Parse(request.url, response);
}

Result<AzureIdentity::Grant> AzureIdentity::Parse(const std::string& from,
                                                  const HttpResponse& response) const {
  if (response.status == 0) return Fail(NoToken(from, response.failure));
  auto json = JsonValue::Parse(response.body);
  const JsonValue* token = json ? json->Find("access_token") : nullptr;
  if (!response.is_success() || token == nullptr || !token->is_string()) {
    const JsonValue* why = json ? json->Find("error_description") : nullptr;
    const std::string reason = "HTTP status " + std::to_string(response.status);
    return Fail(NoToken(from, why == nullptr ? reason : reason + ": " + why->text()));
  }
  // A number, or one in quotes from the metadata service.
  const JsonValue* seconds = json->Find("expires_in");
  const int64_t lasts = seconds == nullptr ? 0 : std::strtoll(seconds->text().c_str(), nullptr, 10);
  return Grant{token->text(), clock_->NowMillis() + lasts * 1000};
}

}  // namespace weir::storage
