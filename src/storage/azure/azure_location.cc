// SPDX-License-Identifier: Apache-2.0
#include "storage/azure/azure_location.h"

#include <algorithm>

#include "base/text.h"
#include "storage/environment.h"
#include "storage/http/http_client.h"
#include "storage/location.h"

namespace weir::storage {
namespace {

constexpr const char* kAccountName = "account_name";
constexpr const char* kAccountKey = "account_key";
constexpr const char* kSasToken = "sas_token";
constexpr const char* kEndpoint = "endpoint";

struct Variable {
  const char* setting;
  const char* name;
};
constexpr Variable kVariables[] = {
    {"connection_string", "AZURE_STORAGE_CONNECTION_STRING"},
    {kAccountName, "AZURE_STORAGE_ACCOUNT"},
    {kAccountKey, "AZURE_STORAGE_KEY"},
    {kSasToken, "AZURE_STORAGE_SAS_TOKEN"},
    {kEndpoint, "AZURE_STORAGE_ENDPOINT"},
};

struct ConnectionPart {
  const char* name;
  const char* setting;
};
constexpr ConnectionPart kConnectionParts[] = {
    {"accountname", kAccountName},
    {"accountkey", kAccountKey},
    {"sharedaccesssignature", kSasToken},
    {"blobendpoint", kEndpoint},
};

// "AccountName=a;AccountKey=b==;..." into the settings that are not there yet.
void AddConnectionString(std::string_view text, StoreSettings& settings) {
  while (!text.empty()) {
    const size_t end = text.find(';');
    const std::string_view part = Trim(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name = ToLowerAscii(part.substr(0, equals));
    for (const auto& known : kConnectionParts)
      if (name == known.name) settings.emplace(known.setting, part.substr(equals + 1));
  }
}

// What a caller says goes before the environment: none of it is taken where one way in is given.
StoreSettings Complete(StoreSettings settings) {
  const bool has_access = settings.contains(kAccountKey) || settings.contains(kSasToken) ||
                          settings.contains("bearer_token") ||
                          settings.contains("connection_string");
  for (const auto& [setting, name] : kVariables) {
    const std::string value = Environment(name);
    if (!value.empty() && !has_access) settings.emplace(setting, value);
  }
  AddConnectionString(settings["connection_string"], settings);
  return settings;
}

struct Authority {
  std::string container;
  std::string account;
  std::string suffix;  // "core.windows.net"
};

// "container@account.dfs.core.windows.net" or "container".
Authority ParseAuthority(std::string_view text) {
  Authority parts;
  const size_t at = text.find('@');
  parts.container = text.substr(0, at);
  if (at == std::string_view::npos) return parts;
  const std::string_view host = text.substr(at + 1);
  const size_t dot = host.find('.');
  parts.account = host.substr(0, dot);
  if (dot == std::string_view::npos) return parts;
  const size_t service = host.find('.', dot + 1);
  if (service != std::string_view::npos) parts.suffix = host.substr(service + 1);
  return parts;
}

}  // namespace

Result<AzureEndpoint> AzureEndpoint::Resolve(std::string_view url, const StoreSettings& given) {
  StoreSettings settings = Complete(given);
  AzureEndpoint found;
  const size_t start = std::min(url.size(), SchemeOf(url).size() + 3);
  found.root = url.substr(0, url.find('/', start));
  const Authority authority =
      ParseAuthority(std::string_view(found.root).substr(std::min(start, found.root.size())));
  found.container = authority.container;
  found.account = authority.account.empty() ? settings[kAccountName] : authority.account;
  if (found.container.empty() || found.account.empty()) {
    return Fail(
        InvalidArgument("WEIR_INVALID_LOCATION",
                        "'" + std::string(url) + "' names no " +
                            (found.container.empty() ? "container" : "account") +
                            "; expected abfss://container@account.dfs.core.windows.net/path, or "
                            "az://container/path "
                            "with the account in a secret or in AZURE_STORAGE_ACCOUNT"));
  }
  std::string host = settings[kEndpoint];
  if (host.empty()) {
    host = "https://" + found.account + ".blob." +
           (authority.suffix.empty() ? "core.windows.net" : authority.suffix);
  }
  while (EndsWith(host, "/")) host.pop_back();
  found.base_url = host + "/" + UrlEncode(found.container);
  found.account_key = settings[kAccountKey];
  found.sas_token = settings[kSasToken];
  if (StartsWith(found.sas_token, "?")) found.sas_token.erase(0, 1);
  found.bearer_token = settings["bearer_token"];
  if (found.bearer_token.empty()) found.bearer_token = settings["access_token"];
  return found;
}

std::string AzureEndpoint::KeyOf(std::string_view path) const { return KeyBelow(root, path); }

std::string AzureEndpoint::PathOf(std::string_view key) const {
  return root + "/" + std::string(key);
}

std::string AzureEndpoint::UrlOf(std::string_view key,
                                 const std::map<std::string, std::string>& query) const {
  std::string url = base_url;
  if (!key.empty()) url += "/" + UrlEncode(key, true);
  char separator = '?';
  for (const auto& [name, value] : query) {
    url += separator + UrlEncode(name) + "=" + UrlEncode(value);
    separator = '&';
  }
  if (!sas_token.empty()) url += separator + sas_token;
  return url;
}

}  // namespace weir::storage
