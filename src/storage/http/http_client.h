// SPDX-License-Identifier: Apache-2.0
//
// HTTP for the stores that are reached by it, on libcurl: one request, one whole answer. What may
// be sent twice is for the caller to say, since only it knows what a request does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace weir::storage {

struct HttpRequest {
  std::string method = "GET";
  std::string url;  ///< Encoded, with scheme and query.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string_view body;  ///< Not owned: must live until Send returns.
  int connect_ms = 10'000;
  bool follows_redirects = false;  ///< Never for a request that carries a signature or a token.
};

struct HttpResponse {
  int status = 0;                              ///< 0: no answer came; see `failure`.
  std::map<std::string, std::string> headers;  ///< Names in lower case.
  std::string body;
  std::string failure;   ///< Why no answer came, in libcurl's words.
  bool was_sent = true;  ///< False: the server has certainly seen nothing of it.
  bool is_success() const { return status >= 200 && status < 300; }
  /// The header's value, or empty.
  std::string_view header(const std::string& name) const;
};

/// How a failed request is repeated.
enum class Retry {
  kNever,
  kSafe,    ///< Doing it twice is doing it once: also after a lost answer.
  kUnsent,  ///< Only when the server has certainly not done it: not reached, 429, 503.
};

/// Sends requests over connections that stay open. Thread-safe; each thread that sends has a
/// connection of its own.
///
/// A request is repeated (unless kNever), with growing random pauses, after: no connection, a lost
/// connection, a time-out, 408, 429, 500, 502, 503, 504 (as far as `Retry` allows), up to kMaxTries
/// times. An answer that stalls for a minute counts as lost. Redirects are followed where the
/// request says so, up to ten of them, and never from HTTPS to plain HTTP.
class HttpClient {
 public:
  static constexpr int kMaxTries = 8;

  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// `make` builds the request anew for each try, as signatures carry the time. Returns the last
  /// answer, be it a failure: the caller words the error.
  HttpResponse Send(const std::function<HttpRequest()>& make, Retry retry);

 private:
  class Pool;
  std::unique_ptr<Pool> pool_;
};

/// Percent-encodes all but letters, digits and "-._~" (RFC 3986), and "/" where `keep_slash`.
std::string UrlEncode(std::string_view text, bool keep_slash = false);

}  // namespace weir::storage
