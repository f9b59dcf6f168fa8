// SPDX-License-Identifier: Apache-2.0
#include "storage/azure/azure_store.h"

#include <algorithm>
#include <cstdio>

#include "storage/azure/azure_answers.h"
#include "storage/azure/shared_key.h"
#include "storage/errors.h"
#include "storage/http/part_upload.h"
#include "storage/location.h"
#include "storage/times.h"

namespace weir::storage {
namespace {

constexpr const char* kVersion = "2021-12-02";

// Of a listing that is wanted to its end.
const auto kAll = [](const std::vector<ObjectInfo>&) { return false; };

/// Blocks and a list of them. Those of an upload that is given up are collected by the service.
class BlockUpload final : public PartUpload {
 public:
  using PartUpload::PartUpload;

 protected:
  Status SendPart(std::string_view part) override {
    char number[32];
    std::snprintf(number, sizeof(number), "%08zu", blocks_.size());
    const std::string block = Base64Encode(number);
    WEIR_RETURN_IF_ERROR(
        Ask({.method = "PUT", .query = {{"blockid", block}, {"comp", "block"}}, .body = part}));
    blocks_.push_back(block);
    return {};
  }

  Status Complete() override {
    std::string body = "<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>";
    for (const auto& block : blocks_) body += "<Uncommitted>" + block + "</Uncommitted>";
    body += "</BlockList>";
    WEIR_RETURN_IF_ERROR(Ask({.method = "PUT", .query = {{"comp", "blocklist"}}, .body = body}));
    return {};
  }

 private:
  std::vector<std::string> blocks_;
};

}  // namespace

AzureStore::AzureStore(AzureEndpoint endpoint, const Clock* clock)
    : endpoint_(std::move(endpoint)), clock_(clock), identity_(clock) {}

Result<HttpResponse> AzureStore::Ask(const Call& call) {
  if (!IsBelow(endpoint_.root, call.path)) return Fail(NotInStore(endpoint_.root, call.path));
  HttpRequest request;
  request.method = call.method;
  request.url = endpoint_.UrlOf(endpoint_.KeyOf(call.path), call.query);
  request.headers = call.headers;
  request.headers.emplace_back("x-ms-version", kVersion);
  request.body = call.body;
  std::string token = endpoint_.bearer_token;
  const bool has_other_way = !endpoint_.account_key.empty() || !endpoint_.sas_token.empty();
  if (token.empty() && !has_other_way) {
    WEIR_ASSIGN_OR_RETURN(token, identity_.Token());
  }
  if (!token.empty()) request.headers.emplace_back("Authorization", "Bearer " + token);
  return http_.Send(
      [&] {
        HttpRequest attempt = request;
        attempt.headers.emplace_back("x-ms-date", HttpTime(clock_->NowMillis()));
        if (token.empty() && !endpoint_.account_key.empty())
          SignSharedKey(attempt, endpoint_.account, endpoint_.account_key);
        return attempt;
      },
      call.retry);
}

Error AzureStore::Explain(std::string_view action, const std::string& path,
                          const HttpResponse& response) const {
  if (response.status == 0) return StoreFailed(action, path, response.failure);
  AzureFailure failure = ParseAzureFailure(response.body);
  if (failure.code.empty()) failure.code = response.header("x-ms-error-code");
  if (response.status == 404 && failure.code != "ContainerNotFound") return ObjectNotFound(path);
  std::string reason = "HTTP status " + std::to_string(response.status);
  if (!failure.code.empty()) reason = failure.code + " (" + reason + "): " + failure.message;
  if (response.status == 403) reason += " (denied: check the key, its rights and the clock)";
  return StoreFailed(action, path, reason);
}

Result<AzureStore::Listing> AzureStore::ListKeys(const std::string& directory,
                                                 const std::string& delimiter,
                                                 const IsEnough& is_enough) {
  const std::string folder = endpoint_.KeyOf(directory);
  Query query{{"comp", "list"}, {"include", "metadata"}, {"restype", "container"}};
  if (!folder.empty()) query["prefix"] = JoinPath(folder, "");
  if (!delimiter.empty()) query["delimiter"] = delimiter;
  Listing listing;
  while (true) {
    WEIR_ASSIGN_OR_RETURN(const auto response, Ask({.path = endpoint_.root, .query = query}));
    if (!response.is_success()) return Fail(Explain("list", directory, response));
    auto page = ParseAzureList(response.body);
    if (!page) return Fail(StoreFailed("list", directory, page.error().message));
    for (auto& entry : page->entries) {
      entry.path = endpoint_.PathOf(entry.path);
      listing.entries.push_back(std::move(entry));
    }
    for (const auto& blob : page->folder_blobs)
      listing.folder_blobs.push_back(endpoint_.PathOf(blob));
    if (page->next.empty() || is_enough(listing.entries)) break;
    query["marker"] = page->next;
  }
  std::sort(listing.entries.begin(), listing.entries.end(),
            [](const ObjectInfo& a, const ObjectInfo& b) { return a.path < b.path; });
  return listing;
}

Result<std::vector<ObjectInfo>> AzureStore::ListFolder(const std::string& directory,
                                                       std::string_view start_after,
                                                       bool only_some) {
  const auto is_enough = [&](const std::vector<ObjectInfo>& entries) {
    const auto is_listed = [&](const ObjectInfo& entry) { return IsListed(entry, start_after); };
    return only_some && std::any_of(entries.begin(), entries.end(), is_listed);
  };
  WEIR_ASSIGN_OR_RETURN(auto listing, ListKeys(directory, "/", is_enough));
  return std::move(listing.entries);
}

Result<std::vector<ObjectInfo>> AzureStore::ListDirectory(const std::string& directory) {
  WEIR_ASSIGN_OR_RETURN(auto listing, ListKeys(directory, "/", kAll));
  return std::move(listing.entries);
}

Result<std::vector<ObjectInfo>> AzureStore::ListRecursive(const std::string& directory) {
  WEIR_ASSIGN_OR_RETURN(auto listing, ListKeys(directory, "", kAll));
  return std::move(listing.entries);
}

AzureStore::Headers AzureStore::PutHeaders() const { return {{"x-ms-blob-type", "BlockBlob"}}; }

Result<HttpResponse> AzureStore::PutConditionally(const std::string& path, std::string_view data) {
  Headers headers = PutHeaders();
  headers.emplace_back("If-None-Match", "*");
  return Ask({.method = "PUT",
              .path = path,
              .headers = std::move(headers),
              .body = data,
              .retry = Retry::kUnsent});
}

bool AzureStore::IsAlreadyThere(const HttpResponse& response) const {
  if (response.status != 409 && response.status != 412) return false;
  const std::string code = ParseAzureFailure(response.body).code;
  return code == "BlobAlreadyExists" || code == "ConditionNotMet";
}

bool AzureStore::IsFolder(const HttpResponse& response) const {
  return response.header("x-ms-meta-hdi_isfolder") == "true";
}

Status AzureStore::DeleteRecursive(const std::string& directory) {
  WEIR_ASSIGN_OR_RETURN(auto listing, ListKeys(directory, "", kAll));
  WEIR_RETURN_IF_ERROR(DeleteAll(listing.entries));
  WEIR_ASSIGN_OR_RETURN(const auto itself, Ask({.method = "HEAD", .path = directory}));
  if (itself.is_success() && IsFolder(itself)) listing.folder_blobs.push_back(directory);
  // The deepest first: the service deletes no folder that holds something.
  std::sort(listing.folder_blobs.rbegin(), listing.folder_blobs.rend());
  for (const auto& folder : listing.folder_blobs) {
    WEIR_RETURN_IF_ERROR(Delete(folder));
  }
  return {};
}

std::unique_ptr<Upload> AzureStore::StartUpload(const std::string& path) {
  return std::make_unique<BlockUpload>(*this, path);
}

Result<std::shared_ptr<ObjectStore>> OpenAzureStore(std::string_view url,
                                                    const StoreSettings& settings) {
  WEIR_ASSIGN_OR_RETURN(auto endpoint, AzureEndpoint::Resolve(url, settings));
  return std::make_shared<AzureStore>(std::move(endpoint));
}

}  // namespace weir::storage
