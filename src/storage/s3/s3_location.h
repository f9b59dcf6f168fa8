// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/store_settings.h"

namespace weir::storage {

/// Which of the services that speak S3's protocol a URL means.
enum class S3Service { kAws, kGoogle };

/// Where requests for a bucket go.
struct S3Endpoint {
  S3Service service = S3Service::kAws;
  std::string scheme;  ///< Of the URLs that callers name objects by: "s3", "s3a", "gs".
  std::string bucket;
  std::string region;
  std::string base_url;  ///< With the bucket, without a slash at the end.
  /// Not AWS's or Google's own, and so not known to honour conditions on writes.
  bool is_custom = false;

  /// Of `settings`; of the environment and the active profile: AWS_ENDPOINT_URL_S3,
  /// AWS_ENDPOINT_URL, AWS_REGION, AWS_DEFAULT_REGION, the profile's region and endpoint_url; else
  /// AWS's host for us-east-1, or Google's. A custom endpoint is addressed by path (host/bucket),
  /// AWS by host name (bucket.host) where the name allows it, unless url_style says otherwise.
  /// Errors: kInvalidArgument WEIR_INVALID_LOCATION, WEIR_INVALID_STORE_SETTING.
  static Result<S3Endpoint> Resolve(std::string_view url, const StoreSettings& settings);

  /// "s3://bucket", as callers write it.
  std::string root() const { return scheme + "://" + bucket; }
  /// base_url for messages: without a user and password that an endpoint may carry.
  std::string shown_url() const;
  /// The key of `path`: "a/b" of "s3://bucket/a/b". Empty for the bucket itself, and for what is
  /// not in it.
  std::string KeyOf(std::string_view path) const;
  /// The path of a key.
  std::string PathOf(std::string_view key) const;
  /// The URL of a key, with `query` sorted by name and encoded.
  std::string UrlOf(std::string_view key,
                    const std::map<std::string, std::string>& query = {}) const;
};

}  // namespace weir::storage
