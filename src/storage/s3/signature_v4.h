// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "storage/http/http_client.h"

namespace weir::storage {

/// Who signs. An empty key_id: nobody, the request stays as it is.
struct AwsCredentials {
  std::string key_id;
  std::string secret;
  std::string session_token;
  int64_t expires_ms = 0;  ///< 0: never.
};

/// The words in which AWS's and Google's forms of the signature differ.
struct SignatureDialect {
  std::string_view algorithm = "AWS4-HMAC-SHA256";
  std::string_view key_prefix = "AWS4";
  std::string_view terminator = "aws4_request";
  std::string_view header_prefix = "x-amz-";
};

inline constexpr SignatureDialect kAwsSignature;
inline constexpr SignatureDialect kGoogleSignature{"GOOG4-HMAC-SHA256", "GOOG4", "goog4_request",
                                                   "x-goog-"};

/// Adds the headers that prove who sends `request`: date, hash of the body, session token,
/// authorization. The URL's path must be encoded and its query sorted by name. All headers that
/// are there already are signed too. `now_ms`: the time, which servers accept 15 minutes off.
/// (AWS: Signature Version 4 for S3.)
void SignV4(HttpRequest& request, const AwsCredentials& credentials, std::string_view region,
            int64_t now_ms, const SignatureDialect& dialect = kAwsSignature);

/// SHA-256 of `data`, 64 hexadecimal digits.
std::string Sha256Hex(std::string_view data);

/// HMAC-SHA256, 32 bytes.
std::string HmacSha256(std::string_view key, std::string_view data);

}  // namespace weir::storage
