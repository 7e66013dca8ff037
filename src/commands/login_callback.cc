#include "commands/login_callback.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "base/url.h"

namespace tofu::commands {

namespace {

constexpr std::size_t kMaxRequestLength = 64 * 1024;
constexpr int kTickMilliseconds = 100;
constexpr int kTicksOfARequest = 50;  // a browser sends its few lines at once

constexpr std::string_view kThanks =
    "<html><head><title>OpenTofu Login</title></head><body><p>Login complete. You can close this "
    "page and return to the terminal.</p></body></html>\n";

// True as soon as there is something to read; false after a while, or when a stop is requested.
bool wait_readable(int descriptor, int ticks, const std::stop_token& stop) {
  for (int tick = 0; tick < ticks && !stop.stop_requested(); ++tick) {
    pollfd waiting{descriptor, POLLIN, 0};
    if (::poll(&waiting, 1, kTickMilliseconds) > 0) return true;
  }
  return false;
}

// The head of a request, as far as it came.
std::string read_head(int connection, const std::stop_token& stop) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (text.find("\r\n\r\n") == std::string::npos && text.size() < kMaxRequestLength &&
         wait_readable(connection, kTicksOfARequest, stop)) {
    const ssize_t got = ::read(connection, buffer.data(), buffer.size());
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

// The code in "GET /login?code=…&state=… HTTP/1.1".
std::optional<std::string> code_in(std::string_view head, std::string_view state) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::size_t start = line.find(' ');
  const std::size_t end = line.rfind(' ');
  if (!line.starts_with("GET ") || end <= start) return std::nullopt;
  const std::string_view target = line.substr(start + 1, end - start - 1);
  const std::size_t question = target.find('?');
  if (question == std::string_view::npos) return std::nullopt;
  std::string code;
  bool is_ours = false;
  for (const auto& [name, text] : base::parse_url_query(target.substr(question + 1))) {
    if (name == "state") is_ours = text == state;
    if (name == "code") code = text;
  }
  if (!is_ours || code.empty()) return std::nullopt;
  return code;
}

void answer(int connection, bool good) {
  const std::string_view body = good ? kThanks : std::string_view();
  const std::string text = fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{}",
      good ? "200 OK" : "400 Bad Request", body.size(), body);
  // A browser that has gone needs no answer.
  (void)!::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
}

}  // namespace

base::Result<LoginCallback> LoginCallback::listen(std::uint16_t first, std::uint16_t last) {
  for (unsigned port = first; port <= last; ++port) {
    base::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket.is_open()) return base::system_error(errno);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    here.sin_port = htons(static_cast<std::uint16_t>(port));
    if (::bind(socket.number(), reinterpret_cast<const sockaddr*>(&here), sizeof here) == 0 &&
        ::listen(socket.number(), 4) == 0) {
      return LoginCallback(std::move(socket), static_cast<std::uint16_t>(port));
    }
  }
  return base::Error{fmt::format("all ports between {} and {} are in use", first, last)};
}

std::string LoginCallback::url() const { return fmt::format("http://localhost:{}/login", port_); }

base::Result<std::string> LoginCallback::wait(std::string_view state, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    if (!wait_readable(socket_.number(), 1, stop)) continue;
    const base::Descriptor connection(::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection.is_open()) continue;
    auto code = code_in(read_head(connection.number(), stop), state);
    answer(connection.number(), code.has_value());
    if (code) return std::move(*code);
  }
  return base::Error{"it was interrupted"};
}

}  // namespace tofu::commands
