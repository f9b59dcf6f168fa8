// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace weir::storage {

/// An HTTP server on a port of this machine that answers with what it was told, one answer a
/// request, and remembers the requests. When nothing is left to say it closes the connection.
class ScriptedServer {
 public:
  /// The connection is closed after the request, without an answer.
  static constexpr const char* kNoAnswer = "";

  ScriptedServer() {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    if (::bind(socket_, reinterpret_cast<sockaddr*>(&address), length) != 0) std::abort();
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length);
    ::listen(socket_, 16);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { Serve(); });
  }
  ~ScriptedServer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }

  const std::string& url() const { return url_; }

  /// "HTTP/1.1 `status`", the headers ("A: b\r\n" each) and the body.
  void Answer(const std::string& status, const std::string& body = "",
              const std::string& headers = "") {
    std::lock_guard lock(mutex_);
    answers_.push_back("HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Length: " +
                       std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body);
  }
  void CloseWithoutAnswer() {
    std::lock_guard lock(mutex_);
    answers_.push_back(kNoAnswer);
  }

  /// Head and body of each request so far.
  std::vector<std::string> requests() {
    std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void Serve() {
    for (int client = Accept(); client >= 0; client = Accept()) {
      const std::string request = Read(client);
      std::string answer;
      {
        std::lock_guard lock(mutex_);
        requests_.push_back(request);
        if (!answers_.empty()) {
          answer = answers_.front();
          answers_.pop_front();
        }
      }
      (void)!::write(client, answer.data(), answer.size());
      ::close(client);
    }
  }

  int Accept() const { return ::accept(socket_, nullptr, nullptr); }

  static std::string Read(int client) {
    std::string request;
    char buffer[4096];
    while (true) {
      const size_t head = request.find("\r\n\r\n");
      if (head != std::string::npos && request.size() >= head + 4 + BodyLength(request)) break;
      const ssize_t count = ::read(client, buffer, sizeof(buffer));
      if (count <= 0) break;
      request.append(buffer, static_cast<size_t>(count));
    }
    return request;
  }

  static size_t BodyLength(const std::string& request) {
    const size_t at = request.find("Content-Length: ");
    return at == std::string::npos ? 0 : std::strtoull(request.c_str() + at + 16, nullptr, 10);
  }

  int socket_;
  std::string url_;
  std::thread thread_;
  std::mutex mutex_;
  std::deque<std::string> answers_;
  std::vector<std::string> requests_;
};

}  // namespace weir::storage
