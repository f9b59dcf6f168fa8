// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "base/text.h"
#include "storage/azure/azure_store.h"
#include "storage/http/web_store.h"
#include "storage/local_store.h"
#include "storage/location.h"
#include "storage/memory_store.h"
#include "storage/object_store.h"
#include "storage/remote_store.h"
#include "storage/s3/s3_store.h"
#include "storage/store_settings.h"

namespace weir::storage {
namespace {

using StoreFactory = Result<std::shared_ptr<ObjectStore>> (*)(std::string_view url,
                                                              const StoreSettings& settings);

Result<std::shared_ptr<ObjectStore>> OpenLocal(std::string_view, const StoreSettings&) {
  static const std::shared_ptr<ObjectStore> kStore = std::make_shared<LocalStore>();
  return kStore;
}

Result<std::shared_ptr<ObjectStore>> OpenMemory(std::string_view, const StoreSettings&) {
  static const std::shared_ptr<ObjectStore> kStore = std::make_shared<MemoryStore>();
  return kStore;
}

struct Scheme {
  std::string_view name;  ///< Empty: a plain path.
  StoreFactory open;
  bool is_remote = false;
};

constexpr Scheme kSchemes[] = {
    {"", OpenLocal},
    {"file", OpenLocal},
    {"memory", OpenMemory},
    {"s3", OpenS3Store, true},
    {"s3a", OpenS3Store, true},
    {"s3n", OpenS3Store, true},
    {"gs", OpenS3Store, true},
    {"gcs", OpenS3Store, true},
    {"abfss", OpenAzureStore, true},
    {"abfs", OpenAzureStore, true},
    {"wasbs", OpenAzureStore, true},
    {"az", OpenAzureStore, true},
    {"azure", OpenAzureStore, true},
    {"http", OpenWebStore, true},
    {"https", OpenWebStore, true},
};

const Scheme* FindScheme(std::string_view url) {
  const std::string_view wanted = SchemeOf(url);
  for (const auto& scheme : kSchemes)
    if (EqualsIgnoreCase(scheme.name, wanted)) return &scheme;
  return nullptr;
}

// A key in a location would be in every message, log and history that names the table.
Status CheckForSecrets(std::string_view url) {
  const size_t start = SchemeOf(url).size() + 3;
  const std::string_view rest = url.substr(std::min(url.size(), start));
  const std::string_view authority = rest.substr(0, rest.find('/'));
  const size_t query = rest.find('?');
  static constexpr std::string_view kSigns[] = {"sig=", "signature=", "token=", "credential="};
  const std::string text =
      ToLowerAscii(rest.substr(query == std::string_view::npos ? rest.size() : query));
  const bool has_token = std::any_of(std::begin(kSigns), std::end(kSigns), [&](auto sign) {
    return text.find(sign) != std::string::npos;
  });
  // "key:secret@bucket"; the container of Azure's "container@account" holds no colon.
  const std::string_view user = authority.substr(0, authority.rfind('@'));
  const bool has_user = user.size() < authority.size() && user.find(':') != std::string_view::npos;
  if (!has_token && !has_user) return {};
  const std::string_view host = has_user ? authority.substr(user.size() + 1) : authority;
  return Fail(InvalidArgument(
      "WEIR_INVALID_LOCATION",
      "a location in " + std::string(url.substr(0, start)) + std::string(host) +
          " carries a key or a token, which is not shown here; give it by a DuckDB secret or by "
          "the environment, and the location without it"));
}

// One store for a bucket, since it keeps connections, credentials and what it knows of the service.
Result<std::shared_ptr<ObjectStore>> OpenRemote(const Scheme& scheme, std::string_view url,
                                                const StoreSettings& settings) {
  WEIR_RETURN_IF_ERROR(CheckForSecrets(url));
  static std::mutex mutex;
  static std::map<std::pair<std::string, StoreSettings>, std::shared_ptr<ObjectStore>> stores;
  const size_t bucket = std::min(url.size(), scheme.name.size() + 3);
  const std::string root(url.substr(0, url.find('/', bucket)));
  std::lock_guard lock(mutex);
  auto& store = stores[{root, settings}];
  if (!store) {
    WEIR_ASSIGN_OR_RETURN(store, scheme.open(root, settings));
  }
  return store;
}

}  // namespace

std::string SettingOf(const StoreSettings& settings, const std::string& name) {
  auto it = settings.find(name);
  return it == settings.end() ? std::string() : it->second;
}

bool IsRemoteLocation(std::string_view url) {
  const Scheme* scheme = FindScheme(url);
  return scheme != nullptr && scheme->is_remote;
}

Result<std::shared_ptr<ObjectStore>> OpenStore(std::string_view url,
                                               const StoreSettings& settings) {
  const Scheme* scheme = FindScheme(url);
  if (scheme != nullptr && scheme->is_remote) return OpenRemote(*scheme, url, settings);
  if (scheme != nullptr) return scheme->open(url, settings);
  std::string known;
  for (const auto& one : kSchemes) {
    if (one.name.empty()) continue;
    if (!known.empty()) known += ", ";
    known += one.name;
  }
  return Fail(InvalidArgument("WEIR_UNSUPPORTED_SCHEME",
                              "no store for '" + std::string(SchemeOf(url)) + ":' in '" +
                                  std::string(url) + "'; known are plain paths and " + known));
}

Result<std::shared_ptr<ObjectStore>> OpenStore(std::string_view url) { return OpenStore(url, {}); }

}  // namespace weir::storage
