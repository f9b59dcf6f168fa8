// SPDX-License-Identifier: Apache-2.0
#include "storage/s3/s3_store.h"

#include <algorithm>

#include "base/uuid.h"
#include "storage/environment.h"
#include "storage/errors.h"
#include "storage/location.h"
#include "storage/s3/s3_answers.h"
#include "storage/s3/s3_upload.h"

namespace weir::storage {

S3Store::S3Store(S3Endpoint endpoint, AwsCredentials credentials, std::string bearer_token,
                 const Clock* clock)
    : endpoint_(std::move(endpoint)),
      bearer_token_(std::move(bearer_token)),
      clock_(clock),
      credentials_(std::move(credentials), endpoint_.service == S3Service::kAws, clock),
      conditions_hold_(!endpoint_.is_custom) {}

Result<HttpResponse> S3Store::Ask(const Call& call) {
  if (!IsBelow(endpoint_.root(), call.path)) return Fail(NotInStore(endpoint_.root(), call.path));
  HttpRequest request;
  request.method = call.method;
  request.url = endpoint_.UrlOf(endpoint_.KeyOf(call.path), call.query);
  request.headers = call.headers;
  request.body = call.body;
  AwsCredentials credentials;
  if (!bearer_token_.empty()) {
    request.headers.emplace_back("Authorization", "Bearer " + bearer_token_);
  } else {
    WEIR_ASSIGN_OR_RETURN(credentials, credentials_.Current());
  }
  const bool is_google = endpoint_.service == S3Service::kGoogle;
  const auto& dialect = is_google ? kGoogleSignature : kAwsSignature;
  return http_.Send(
      [&] {
        HttpRequest attempt = request;
        SignV4(attempt, credentials, endpoint_.region, clock_->NowMillis(), dialect);
        return attempt;
      },
      call.retry);
}

Error S3Store::Explain(std::string_view action, const std::string& path,
                       const HttpResponse& response) const {
  if (response.status == 0) return StoreFailed(action, path, response.failure);
  S3Failure failure = ParseS3Failure(response.body);
  if (response.status == 404 && failure.code != "NoSuchBucket") return ObjectNotFound(path);
  std::string reason = "HTTP status " + std::to_string(response.status);
  if (!failure.code.empty()) reason = failure.code + " (" + reason + "): " + failure.message;
  if (failure.region.empty()) failure.region = response.header("x-amz-bucket-region");
  if (response.status == 301 || failure.code == "AuthorizationHeaderMalformed")
    reason += "; the bucket is in region '" + failure.region + "', asked for in '" +
              endpoint_.region + "': set the region";
  if (failure.code == "RequestTimeTooSkewed") reason += "; set this machine's clock";
  if (response.status == 403 && failure.code.empty()) reason += ": denied";
  return StoreFailed(action, path, reason);
}

Result<std::vector<ObjectInfo>> S3Store::ListKeys(const std::string& directory, Query narrowing,
                                                  bool only_some) {
  const std::string folder = endpoint_.KeyOf(directory);
  const std::string prefix = folder.empty() ? folder : JoinPath(folder, "");
  Query query = std::move(narrowing);
  query.insert({{"encoding-type", "url"}, {"list-type", "2"}, {"prefix", prefix}});
  std::vector<ObjectInfo> entries;
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const auto response, Ask({.path = endpoint_.PathOf(""), .query = query}));
    if (!response.is_success()) return Fail(Explain("list", directory, response));
    auto page = ParseS3List(response.body);
    if (!page) return Fail(StoreFailed("list", directory, page.error().message));
    for (auto& entry : page->entries) {
      entry.path = endpoint_.PathOf(entry.path);
      entries.push_back(std::move(entry));
    }
    const auto is_object = [](const ObjectInfo& entry) { return !entry.is_directory; };
    if (only_some && std::any_of(entries.begin(), entries.end(), is_object)) break;
    if (page->next.empty()) break;
    query["continuation-token"] = page->next;
  }
  std::sort(entries.begin(), entries.end(),
            [](const ObjectInfo& a, const ObjectInfo& b) { return a.path < b.path; });
  return entries;
}

Result<std::vector<ObjectInfo>> S3Store::ListFolder(const std::string& directory,
                                                    std::string_view start_after, bool only_some) {
  Query narrowing{{"delimiter", "/"}};
  if (!start_after.empty())
    narrowing["start-after"] = JoinPath(endpoint_.KeyOf(directory), start_after);
  if (only_some) narrowing["max-keys"] = "10";
  return ListKeys(directory, std::move(narrowing), only_some);
}

Result<std::vector<ObjectInfo>> S3Store::ListDirectory(const std::string& directory) {
  return ListKeys(directory, {{"delimiter", "/"}}, false);
}

Result<std::vector<ObjectInfo>> S3Store::ListRecursive(const std::string& directory) {
  return ListKeys(directory, {}, false);
}

Result<HttpResponse> S3Store::TryToPut(const std::string& path, std::string_view data) {
  Headers condition{{"If-None-Match", "*"}};
  if (endpoint_.service == S3Service::kGoogle) condition = {{"x-goog-if-generation-match", "0"}};
  for (int attempt = 1;; ++attempt) {
    WEIR_ASSIGN_OR_RETURN(auto response, Ask({.method = "PUT",
                                              .path = path,
                                              .headers = condition,
                                              .body = data,
                                              .retry = Retry::kUnsent}));
    // 409: another conditional write of this key is under way, come again.
    if (response.status != 409 || attempt == HttpClient::kMaxTries) return response;
  }
}

Result<HttpResponse> S3Store::PutConditionally(const std::string& path, std::string_view data) {
  WEIR_RETURN_IF_ERROR(CheckConditions(path.substr(0, path.rfind('/'))));
  return TryToPut(path, data);
}

bool S3Store::IsAlreadyThere(const HttpResponse& response) const { return response.status == 412; }

Status S3Store::CheckConditions(const std::string& directory) {
  std::lock_guard lock(check_mutex_);
  if (conditions_hold_) return {};
  const std::string probe = JoinPath(directory, ".weir-" + Uuid::Random().ToString() + ".tmp");
  WEIR_ASSIGN_OR_RETURN(const auto first, TryToPut(probe, "condition"));
  WEIR_ASSIGN_OR_RETURN(const auto second, TryToPut(probe, "condition"));
  WEIR_RETURN_IF_ERROR(Delete(probe));
  conditions_hold_ = first.is_success() && IsAlreadyThere(second);
  if (conditions_hold_) return {};
  const bool is_ignored = second.is_success() || second.status == 501;
  if (!is_ignored) return Fail(Explain("write", probe, first.is_success() ? second : first));
  return Fail(UnsupportedFeature(
      "WEIR_CONDITIONAL_PUT_UNSUPPORTED",
      "the store behind " + endpoint_.shown_url() +
          " does not honour If-None-Match: * on PUT, so that two writers could replace each "
          "other's commits; use a store or a release of it that does"));
}

Status S3Store::DeleteRecursive(const std::string& directory) {
  WEIR_ASSIGN_OR_RETURN(const auto entries, ListRecursive(directory));
  return DeleteAll(entries);
}

std::unique_ptr<Upload> S3Store::StartUpload(const std::string& path) {
  return std::make_unique<S3Upload>(*this, path);
}

Result<std::shared_ptr<ObjectStore>> OpenS3Store(std::string_view url,
                                                 const StoreSettings& settings) {
  WEIR_ASSIGN_OR_RETURN(auto endpoint, S3Endpoint::Resolve(url, settings));
  std::string bearer_token = SettingOf(settings, "bearer_token");
  if (bearer_token.empty() && endpoint.service == S3Service::kGoogle)
    bearer_token = Environment("GOOGLE_OAUTH_ACCESS_TOKEN");
  AwsCredentials credentials{SettingOf(settings, "key_id"), SettingOf(settings, "secret"),
                             SettingOf(settings, "session_token")};
  return std::make_shared<S3Store>(std::move(endpoint), std::move(credentials),
                                   std::move(bearer_token));
}

}  // namespace weir::storage
