// SPDX-License-Identifier: Apache-2.0
#include "storage/s3/signature_v4.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <ctime>
#include <map>

#include "base/text.h"

namespace weir::storage {
namespace {

constexpr std::string_view kService = "s3";

std::string Hex(std::string_view bytes) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    out += kHex[static_cast<unsigned char>(c) >> 4];
    out += kHex[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

/// "20260131T235959Z".
std::string BasicTimestamp(int64_t now_ms) {
  const std::time_t seconds = now_ms / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y%m%dT%H%M%SZ", &parts)};
}

struct UrlParts {
  std::string_view host;
  std::string_view path;
  std::string_view query;
};

UrlParts Split(std::string_view url) {
  UrlParts parts;
  url.remove_prefix(url.find("://") + 3);
  const size_t slash = url.find('/');
  parts.host = url.substr(0, slash);
  parts.path = slash == std::string_view::npos ? "/" : url.substr(slash);
  const size_t question = parts.path.find('?');
  if (question != std::string_view::npos) {
    parts.query = parts.path.substr(question + 1);
    parts.path = parts.path.substr(0, question);
  }
  return parts;
}

}  // namespace

std::string Sha256Hex(std::string_view data) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  EVP_Digest(data.data(), data.size(), digest, &length, EVP_sha256(), nullptr);
  return Hex({reinterpret_cast<const char*>(digest), length});
}

std::string HmacSha256(std::string_view key, std::string_view data) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(data.data()), data.size(), digest, &length);
  return {reinterpret_cast<const char*>(digest), length};
}

void SignV4(HttpRequest& request, const AwsCredentials& credentials, std::string_view region,
            int64_t now_ms, const SignatureDialect& dialect) {
  if (credentials.key_id.empty()) return;
  const UrlParts url = Split(request.url);
  const std::string timestamp = BasicTimestamp(now_ms);
  const std::string date = timestamp.substr(0, 8);
  const std::string prefix(dialect.header_prefix);
  const std::string body_hash = Sha256Hex(request.body);

  request.headers.emplace_back(prefix + "date", timestamp);
  request.headers.emplace_back(prefix + "content-sha256", body_hash);
  if (!credentials.session_token.empty())
    request.headers.emplace_back(prefix + "security-token", credentials.session_token);

  std::map<std::string, std::string> signed_headers{{"host", std::string(url.host)}};
  for (const auto& [name, value] : request.headers) signed_headers[ToLowerAscii(name)] = value;
  std::string header_lines;
  std::string header_names;
  for (const auto& [name, value] : signed_headers) {
    header_lines += name + ":" + value + "\n";
    header_names += (header_names.empty() ? "" : ";") + name;
  }
  const std::string canonical = request.method + "\n" + std::string(url.path) + "\n" +
                                std::string(url.query) + "\n" + header_lines + "\n" + header_names +
                                "\n" + body_hash;

  const std::string scope = date + "/" + std::string(region) + "/" + std::string(kService) + "/" +
                            std::string(dialect.terminator);
  const std::string to_sign = std::string(dialect.algorithm) + "\n" + timestamp + "\n" + scope +
                              "\n" + Sha256Hex(canonical);
  std::string key = HmacSha256(std::string(dialect.key_prefix) + credentials.secret, date);
  for (const std::string_view part : {region, kService, dialect.terminator})
    key = HmacSha256(key, part);
  request.headers.emplace_back("Authorization", std::string(dialect.algorithm) +
                                                    " Credential=" + credentials.key_id + "/" +
                                                    scope + ", SignedHeaders=" + header_names +
                                                    ", Signature=" + Hex(HmacSha256(key, to_sign)));
}

}  // namespace weir::storage
