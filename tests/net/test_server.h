// A small web server on this machine's loopback, for tests of what fetches.
//
// Each connection carries one request and is answered by a function of the test, in
// a thread of its own. The answer can be a wrong one: endless, slow, cut off. What
// was asked is kept, so that a test can see which secrets were sent where.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/net/test_identity.h"

namespace tofu::net {

struct ServerRequest {
  std::string method;
  std::string target;                          // "/path?query", as sent
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  std::string path() const { return target.substr(0, target.find('?')); }
  std::string query() const {
    const std::size_t mark = target.find('?');
    return mark == std::string::npos ? std::string() : target.substr(mark + 1);
  }
  // Empty if there is no such header.
  std::string header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? std::string() : found->second;
  }
};

struct ServerReply {
  int status = 200;
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};

  // Misbehavior.
  std::chrono::milliseconds delay = {};                 // before the first byte
  std::optional<std::size_t> cut_after = std::nullopt;  // bytes of the body, then the end
  bool endless = false;                                 // the body again and again, no length
  bool silent = false;                                  // closed without any answer
};

class TestServer {
 public:
  using Handler = std::function<ServerReply(const ServerRequest&)>;

  // With an identity https is spoken, else http. It outlives the server.
  explicit TestServer(Handler handler, const TestIdentity* identity = nullptr);
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;
  ~TestServer();

  int port() const { return port_; }
  std::string authority() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string url(std::string_view target = "/") const {
    return (identity_ == nullptr ? "http://" : "https://") + authority() + std::string(target);
  }

  // Everything that was asked so far, in the order of arrival.
  std::vector<ServerRequest> requests() const;

 private:
  void listen();
  void serve(int connection);

  Handler handler_;
  const TestIdentity* identity_;
  int socket_ = -1;
  int port_ = 0;
  std::atomic<bool> ending_ = false;
  mutable std::mutex lock_;
  std::vector<ServerRequest> requests_;
  std::vector<std::thread> connections_;
  std::thread listener_;
};

// A reply that leads elsewhere.
ServerReply redirect_to(std::string location, int status = 302);

}  // namespace tofu::net
