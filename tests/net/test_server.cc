#include "tests/net/test_server.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

namespace tofu::net {

namespace {

constexpr int kTick = 20;  // milliseconds until a thread sees that the test is over

// One connection, in the clear or not.
class Wire {
 public:
  Wire(int connection, const TestIdentity* identity, const std::atomic<bool>& ending)
      : connection_(connection), ending_(ending) {
    // A client that does not read may not hold the test up for ever.
    const timeval limit{.tv_sec = 0, .tv_usec = 200'000};
    ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (identity == nullptr) return;
    ssl_ = ::SSL_new(identity->context());
    ::SSL_set_fd(ssl_, connection);
    usable_ = ::SSL_accept(ssl_) == 1;
  }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  ~Wire() {
    if (ssl_ != nullptr && usable_) ::SSL_shutdown(ssl_);
    ::SSL_free(ssl_);
    ::close(connection_);
  }

  void wait(std::chrono::milliseconds time) const {
    const auto end = std::chrono::steady_clock::now() + time;
    while (!ending_ && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  bool send(std::string_view bytes) {
    while (!bytes.empty() && !ending_ && usable_) {
      const ssize_t sent = ssl_ != nullptr
                               ? ::SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                               : ::send(connection_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && ssl_ == nullptr && (errno == EINTR || errno == EAGAIN)) continue;
      if (sent <= 0)
        usable_ = false;
      else
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return bytes.empty();
  }

  // Adds what has come, at most a buffer full; false at the end.
  bool receive(std::string& text) {
    char buffer[16384];
    while (!ending_ && usable_) {
      pollfd readable{connection_, POLLIN, 0};
      const bool there = (ssl_ != nullptr && ::SSL_pending(ssl_) > 0);
      if (!there && ::poll(&readable, 1, kTick) == 0) continue;
      const ssize_t count = ssl_ != nullptr ? ::SSL_read(ssl_, buffer, sizeof buffer)
                                            : ::recv(connection_, buffer, sizeof buffer, 0);
      if (count <= 0) break;
      text.append(buffer, static_cast<std::size_t>(count));
      return true;
    }
    return false;
  }

 private:
  int connection_;
  const std::atomic<bool>& ending_;
  SSL* ssl_ = nullptr;
  bool usable_ = true;
};

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

// What arrived so far, taken apart; nothing if more has to come.
std::optional<ServerRequest> parse(const std::string& text) {
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos) return std::nullopt;
  ServerRequest request;
  const std::size_t line_end = text.find("\r\n");
  const std::size_t first = text.find(' ');
  const std::size_t second = text.find(' ', first + 1);
  request.method = text.substr(0, first);
  request.target = text.substr(first + 1, second - first - 1);
  for (std::size_t at = line_end + 2; at < end;) {
    const std::size_t stop = text.find("\r\n", at);
    const std::size_t colon = text.find(':', at);
    std::size_t value = colon + 1;
    while (value < stop && text[value] == ' ') ++value;
    request.headers[lower(text.substr(at, colon - at))] = text.substr(value, stop - value);
    at = stop + 2;
  }
  const std::size_t length =
      static_cast<std::size_t>(std::atoll(request.header("content-length").c_str()));
  if (text.size() < end + 4 + length) return std::nullopt;
  request.body = text.substr(end + 4, length);
  return request;
}

std::optional<ServerRequest> receive(Wire& wire) {
  std::string text;
  do {
    auto request = parse(text);
    if (request) return request;
  } while (wire.receive(text));
  return std::nullopt;
}

void answer(Wire& wire, const ServerRequest& request, const ServerReply& reply) {
  wire.wait(reply.delay);
  if (reply.silent) return;
  std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " Test\r\n";
  for (const auto& [name, value] : reply.headers) head += name + ": " + value + "\r\n";
  const bool has_body = reply.status != 204 && reply.status != 304;
  const bool counted = std::ranges::any_of(
      reply.headers, [](const auto& header) { return lower(header.first) == "content-length"; });
  if (!reply.endless && has_body && !counted) {
    head += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n";
  }
  head += "Connection: close\r\n\r\n";
  if (!wire.send(head) || request.method == "HEAD" || !has_body) return;
  if (reply.endless) {
    while (wire.send(reply.body)) {
    }
    return;
  }
  wire.send(std::string_view(reply.body).substr(0, reply.cut_after.value_or(reply.body.size())));
}

}  // namespace

TestServer::TestServer(Handler handler, const TestIdentity* identity)
    : handler_(std::move(handler)), identity_(identity) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  ::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes do not suppress SIGPIPE
  if (::bind(socket_, generic, size) != 0 || ::listen(socket_, 64) != 0 ||
      ::getsockname(socket_, generic, &size) != 0) {
    std::abort();
  }
  port_ = ::ntohs(address.sin_port);
  listener_ = std::thread([this] { listen(); });
}

TestServer::~TestServer() {
  ending_ = true;
  listener_.join();
  for (std::thread& connection : connections_) connection.join();
  ::close(socket_);
}

void TestServer::listen() {
  while (!ending_) {
    pollfd waiting{socket_, POLLIN, 0};
    if (::poll(&waiting, 1, kTick) <= 0) continue;
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    connections_.emplace_back([this, connection] { serve(connection); });
  }
}

void TestServer::serve(int connection) {
  Wire wire(connection, identity_, ending_);
  const auto request = receive(wire);
  if (!request) return;
  {
    const std::lock_guard held(lock_);
    requests_.push_back(*request);
  }
  answer(wire, *request, handler_(*request));
}

std::vector<ServerRequest> TestServer::requests() const {
  const std::lock_guard held(lock_);
  return requests_;
}

ServerReply redirect_to(std::string location, int status) {
  return {.status = status, .headers = {{"Location", std::move(location)}}};
}

}  // namespace tofu::net
