// SPDX-License-Identifier: Apache-2.0
#include "storage/s3/s3_location.h"

#include <algorithm>

#include "base/text.h"
#include "storage/environment.h"
#include "storage/http/http_client.h"
#include "storage/location.h"
#include "storage/s3/aws_credentials.h"

namespace weir::storage {
namespace {

std::string FirstOf(std::initializer_list<std::string> candidates) {
  for (const auto& candidate : candidates)
    if (!candidate.empty()) return candidate;
  return {};
}

Error InvalidSetting(const std::string& name, const std::string& value, const char* expected) {
  return InvalidArgument("WEIR_INVALID_STORE_SETTING",
                         "the store setting " + name + " is '" + value + "', expected " + expected);
}

// Names with a dot do not match the certificate of bucket.host; others are no host names at all.
bool IsHostName(std::string_view bucket) {
  return std::all_of(bucket.begin(), bucket.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

Result<bool> ByPath(const StoreSettings& settings, const S3Endpoint& endpoint) {
  const std::string style = ToLowerAscii(SettingOf(settings, "url_style"));
  if (style == "path") return true;
  if (style == "vhost") return false;
  if (!style.empty()) return Fail(InvalidSetting("url_style", style, "path or vhost"));
  return endpoint.is_custom || endpoint.service == S3Service::kGoogle ||
         !IsHostName(endpoint.bucket);
}

Result<std::string> Protocol(const StoreSettings& settings, std::string_view endpoint) {
  if (StartsWith(endpoint, "http://")) return std::string("http://");
  const std::string use_ssl = ToLowerAscii(SettingOf(settings, "use_ssl"));
  if (use_ssl == "false" || use_ssl == "0") return std::string("http://");
  if (!use_ssl.empty() && use_ssl != "true" && use_ssl != "1")
    return Fail(InvalidSetting("use_ssl", use_ssl, "true or false"));
  return std::string("https://");
}

}  // namespace

Result<S3Endpoint> S3Endpoint::Resolve(std::string_view url, const StoreSettings& settings) {
  S3Endpoint found;
  found.scheme = ToLowerAscii(SchemeOf(url));
  std::string_view rest = url.substr(std::min(url.size(), found.scheme.size() + 3));
  found.bucket = rest.substr(0, rest.find('/'));
  if (found.bucket.empty()) {
    return Fail(InvalidArgument(
        "WEIR_INVALID_LOCATION",
        "'" + std::string(url) + "' names no bucket; expected " + found.scheme + "://bucket/path"));
  }
  const bool is_google = StartsWith(found.scheme, "g");
  found.service = is_google ? S3Service::kGoogle : S3Service::kAws;

  std::string host;
  if (is_google) {
    host = FirstOf({SettingOf(settings, "endpoint"), Environment("GCS_ENDPOINT_URL")});
    found.region = FirstOf({SettingOf(settings, "region"), "auto"});
  } else {
    host = FirstOf({SettingOf(settings, "endpoint"), Environment("AWS_ENDPOINT_URL_S3"),
                    Environment("AWS_ENDPOINT_URL"), AwsProfileSetting("endpoint_url")});
    found.region =
        FirstOf({SettingOf(settings, "region"), Environment("AWS_REGION"),
                 Environment("AWS_DEFAULT_REGION"), AwsProfileSetting("region"), "us-east-1"});
  }
  // DuckDB's secrets carry AWS's own host as if somebody had chosen it.
  found.is_custom = !host.empty() && host != "s3.amazonaws.com" && host != "storage.googleapis.com";
  if (!found.is_custom)
    host = is_google ? "storage.googleapis.com" : "s3." + found.region + ".amazonaws.com";
  WEIR_ASSIGN_OR_RETURN(const std::string protocol, Protocol(settings, host));
  if (const size_t at = host.find("://"); at != std::string::npos) host.erase(0, at + 3);
  while (EndsWith(host, "/")) host.pop_back();
  WEIR_ASSIGN_OR_RETURN(const bool by_path, ByPath(settings, found));
  found.base_url = by_path ? protocol + host + "/" + UrlEncode(found.bucket)
                           : protocol + found.bucket + "." + host;
  return found;
}

std::string S3Endpoint::shown_url() const {
  const size_t host = base_url.find("://") + 3;
  const size_t at = base_url.substr(0, base_url.find('/', host)).rfind('@');
  return at == std::string::npos ? base_url : base_url.substr(0, host) + base_url.substr(at + 1);
}

std::string S3Endpoint::KeyOf(std::string_view path) const { return KeyBelow(root(), path); }

std::string S3Endpoint::PathOf(std::string_view key) const {
  return root() + "/" + std::string(key);
}

std::string S3Endpoint::UrlOf(std::string_view key,
                              const std::map<std::string, std::string>& query) const {
  std::string url = base_url + "/" + UrlEncode(key, true);
  char separator = '?';
  for (const auto& [name, value] : query) {
    url += separator + UrlEncode(name) + "=" + UrlEncode(value);
    separator = '&';
  }
  return url;
}

}  // namespace weir::storage
