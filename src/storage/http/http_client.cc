// SPDX-License-Identifier: Apache-2.0
#include "storage/http/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>

#include "base/text.h"

namespace weir::storage {
namespace {

constexpr long kStallSeconds = 60;
constexpr int64_t kFirstPauseMs = 100;
constexpr int64_t kLongestPauseMs = 10'000;

struct HeaderList {
  curl_slist* head = nullptr;
  ~HeaderList() { curl_slist_free_all(head); }
  void Add(const std::string& line) { head = curl_slist_append(head, line.c_str()); }
};

struct BodyReader {
  std::string_view left;
};

size_t ReadBody(char* buffer, size_t size, size_t count, void* user) {
  auto& left = static_cast<BodyReader*>(user)->left;
  const size_t length = std::min(size * count, left.size());
  left.copy(buffer, length);
  left.remove_prefix(length);
  return length;
}

// Curl asks for this when it has to send the body again on a fresh connection.
int RewindBody(void* user, curl_off_t offset, int) {
  auto& [reader, body] = *static_cast<std::pair<BodyReader, std::string_view>*>(user);
  reader.left = body.substr(static_cast<size_t>(offset));
  return CURL_SEEKFUNC_OK;
}

size_t WriteBody(char* data, size_t size, size_t count, void* user) {
  static_cast<HttpResponse*>(user)->body.append(data, size * count);
  return size * count;
}

size_t WriteHeader(char* data, size_t size, size_t count, void* user) {
  auto& response = *static_cast<HttpResponse*>(user);
  const std::string_view line = Trim({data, size * count});
  const size_t colon = line.find(':');
  if (StartsWith(line, "HTTP/")) {
    response.headers.clear();
  } else if (colon != std::string_view::npos) {
    response.headers[ToLowerAscii(line.substr(0, colon))] = Trim(line.substr(colon + 1));
  }
  return size * count;
}

bool NeverReachedServer(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
      return true;
    default:
      return false;
  }
}

bool IsHopeless(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_UNSUPPORTED_PROTOCOL ||
         code == CURLE_URL_MALFORMAT;
}

bool MayRepeat(const HttpResponse& response, Retry retry) {
  if (retry == Retry::kNever) return false;
  switch (response.status) {
    case 0:
      return !response.was_sent || retry == Retry::kSafe;
    case 429:
    case 503:
      return true;
    case 408:
    case 500:
    case 502:
    case 504:
      return retry == Retry::kSafe;
    default:
      return false;
  }
}

// Half of the pause is chance, so that writers that failed together do not come back together.
void Pause(int attempt, const HttpResponse& response) {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  int64_t longest = std::min(kLongestPauseMs, kFirstPauseMs << std::min(attempt, 16));
  const std::string after(response.header("retry-after"));
  if (!after.empty()) {
    const int64_t asked = std::strtol(after.c_str(), nullptr, 10) * 1000;
    longest = std::clamp(asked, longest, kLongestPauseMs);
  }
  std::uniform_int_distribution<int64_t> pause(longest / 2, longest);
  std::this_thread::sleep_for(std::chrono::milliseconds(pause(random)));
}

}  // namespace

std::string_view HttpResponse::header(const std::string& name) const {
  auto it = headers.find(name);
  return it == headers.end() ? std::string_view() : std::string_view(it->second);
}

/// Curl handles at rest; each keeps its connections.
class HttpClient::Pool {
 public:
  Pool() {
    static const CURLcode kReady = curl_global_init(CURL_GLOBAL_DEFAULT);
    (void)kReady;
  }
  ~Pool() {
    for (CURL* handle : idle_) curl_easy_cleanup(handle);
  }

  CURL* Take() {
    std::lock_guard lock(mutex_);
    if (idle_.empty()) return curl_easy_init();
    CURL* handle = idle_.back();
    idle_.pop_back();
    return handle;
  }

  void Return(CURL* handle) {
    curl_easy_reset(handle);
    std::lock_guard lock(mutex_);
    idle_.push_back(handle);
  }

  struct Outcome {
    HttpResponse response;
    bool is_hopeless = false;
  };
  Outcome Perform(const HttpRequest& request);

 private:
  std::mutex mutex_;
  std::vector<CURL*> idle_;
};

HttpClient::Pool::Outcome HttpClient::Pool::Perform(const HttpRequest& request) {
  Outcome outcome;
  HttpResponse& response = outcome.response;
  CURL* curl = Take();
  HeaderList headers;
  for (const auto& [name, value] : request.headers) headers.Add(name + ": " + value);
  headers.Add("Expect:");
  std::pair<BodyReader, std::string_view> body{{request.body}, request.body};
  char reason[CURL_ERROR_SIZE] = "";

  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  if (request.follows_redirects) {
    const bool is_secure = StartsWith(ToLowerAscii(request.url.substr(0, 6)), "https:");
    curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, is_secure ? "https" : "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 10L);
  }
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(request.connect_ms));
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, kStallSeconds);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, WriteBody);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, WriteHeader);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &response);
  if (request.method == "HEAD") {
    curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
  } else if (request.method == "PUT" || request.method == "POST") {
    curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, ReadBody);
    curl_easy_setopt(curl, CURLOPT_READDATA, &body.first);
    curl_easy_setopt(curl, CURLOPT_SEEKFUNCTION, RewindBody);
    curl_easy_setopt(curl, CURLOPT_SEEKDATA, &body);
  }
  if (request.method != "HEAD" && request.method != "GET")
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.head);

  const CURLcode code = curl_easy_perform(curl);
  long status = 0;
  if (code == CURLE_OK) curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  Return(curl);
  response.status = static_cast<int>(status);
  if (code != CURLE_OK) {
    response.failure = reason[0] != '\0' ? reason : curl_easy_strerror(code);
    response.was_sent = !NeverReachedServer(code);
    outcome.is_hopeless = IsHopeless(code);
  }
  return outcome;
}

HttpClient::HttpClient() : pool_(std::make_unique<Pool>()) {}
HttpClient::~HttpClient() = default;

HttpResponse HttpClient::Send(const std::function<HttpRequest()>& make, Retry retry) {
  for (int attempt = 0;; ++attempt) {
    auto [response, is_hopeless] = pool_->Perform(make());
    const bool is_last = attempt + 1 == kMaxTries || is_hopeless;
    if (is_last || !MayRepeat(response, retry)) return std::move(response);
    Pause(attempt, response);
  }
}

std::string UrlEncode(std::string_view text, bool keep_slash) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
    if (is_plain || (c == '/' && keep_slash)) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

}  // namespace weir::storage
