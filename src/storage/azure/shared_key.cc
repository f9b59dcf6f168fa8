// SPDX-License-Identifier: Apache-2.0
#include "storage/azure/shared_key.h"

#include <openssl/evp.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "storage/s3/signature_v4.h"

namespace weir::storage {
namespace {

// The headers that the scheme signs in fixed places, between the verb and those that begin with
// x-ms-.
constexpr const char* kPlaces[] = {"content-encoding",
                                   "content-language",
                                   "content-length",
                                   "content-md5",
                                   "content-type",
                                   "date",
                                   "if-modified-since",
                                   "if-match",
                                   "if-none-match",
                                   "if-unmodified-since",
                                   "range"};

std::string Decoded(std::string_view text) {
  auto decoded = PercentDecode(text);
  return decoded ? *decoded : std::string(text);
}

// "/account/path", then each parameter of the query in a line "name:value".
std::string Resource(const std::string& account, std::string_view url) {
  url.remove_prefix(url.find("://") + 3);
  const size_t slash = url.find('/');
  std::string_view path = slash == std::string_view::npos ? "/" : url.substr(slash);
  const size_t question = path.find('?');
  std::string_view query =
      question == std::string_view::npos ? std::string_view() : path.substr(question + 1);
  std::map<std::string, std::string> parameters;
  while (!query.empty()) {
    const size_t end = query.find('&');
    const std::string_view part = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    const size_t equals = part.find('=');
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
    parameters[ToLowerAscii(Decoded(part.substr(0, equals)))] = Decoded(value);
  }
  std::string resource = "/" + account + std::string(path.substr(0, question));
  for (const auto& [name, value] : parameters) resource += "\n" + name + ":" + value;
  return resource;
}

}  // namespace

std::string Base64Encode(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  out.resize(static_cast<size_t>(length));
  return out;
}

std::string Base64Decode(std::string_view text) {
  std::string out(text.size(), '\0');
  EVP_ENCODE_CTX* context = EVP_ENCODE_CTX_new();
  int length = 0;
  int rest = 0;
  EVP_DecodeInit(context);
  EVP_DecodeUpdate(context, reinterpret_cast<unsigned char*>(out.data()), &length,
                   reinterpret_cast<const unsigned char*>(text.data()),
                   static_cast<int>(text.size()));
  EVP_DecodeFinal(context, reinterpret_cast<unsigned char*>(out.data()) + length, &rest);
  EVP_ENCODE_CTX_free(context);
  out.resize(static_cast<size_t>(std::max(0, length)));
  return out;
}

void SignSharedKey(HttpRequest& request, const std::string& account,
                   const std::string& account_key) {
  std::map<std::string, std::string> headers;
  for (const auto& [name, value] : request.headers) headers[ToLowerAscii(name)] = value;
  if (!request.body.empty()) headers["content-length"] = std::to_string(request.body.size());
  std::string to_sign = request.method + "\n";
  for (const char* name : kPlaces) to_sign += headers[name] + "\n";
  for (const auto& [name, value] : headers)
    if (StartsWith(name, "x-ms-")) to_sign += name + ":" + value + "\n";
  to_sign += Resource(account, request.url);
  request.headers.emplace_back(
      "Authorization",
      "SharedKey " + account + ":" + Base64Encode(HmacSha256(Base64Decode(account_key), to_sign)));
}

}  // namespace weir::storage
