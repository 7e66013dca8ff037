#include "providers/handshake.h"

#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <sys/socket.h>
#include <sys/un.h>
#include <vector>

#include "base/base64.h"
#include "base/trim.h"

namespace tofu::providers {

namespace {

constexpr std::size_t kFields = 5;             // at least
constexpr std::size_t kLeastCertificate = 50;  // what is shorter is none

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

base::Result<base::Descriptor> connect_to(int family, const void* address, socklen_t size) {
  base::Descriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.is_open()) return base::system_error(errno);
  if (family != AF_UNIX) {
    const int yes = 1;
    ::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }
  int result = -1;
  do {
    result = ::connect(socket.number(), static_cast<const sockaddr*>(address), size);
  } while (result != 0 && errno == EINTR);
  if (result != 0 && errno != EINPROGRESS) return base::system_error(errno);
  return socket;
}

base::Result<base::Descriptor> connect_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return base::Error{"the socket's path is too long"};
  std::memcpy(address.sun_path, path.data(), path.size());
  return connect_to(AF_UNIX, &address, sizeof address);
}

base::Result<base::Descriptor> connect_tcp(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const int port = colon == std::string::npos
                       ? 0
                       : number_of(std::string_view(text).substr(colon + 1)).value_or(0);
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  if (port <= 0 || port > 0xFFFF) {
    return base::Error{fmt::format("{:?} has no port", text)};
  }
  const auto number = htons(static_cast<std::uint16_t>(port));
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = number;
  if (::inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
    return connect_to(AF_INET, &four, sizeof four);
  }
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = number;
  if (::inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) {
    return connect_to(AF_INET6, &six, sizeof six);
  }
  return base::Error{fmt::format("{:?} is not an IP address", host)};
}

}  // namespace

base::Result<Handshake> parse_handshake(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' ')) {
    line.remove_suffix(1);
  }
  const auto parts = base::split(line, '|');
  if (parts.size() < kFields) {
    return base::Error{"its first line of output is not the handshake of a plugin"};
  }
  if (parts[0] != "1") {
    return base::Error{fmt::format(
        "it speaks version {:?} of the plugin protocol's core; this program speaks 1", parts[0])};
  }
  Handshake made;
  const auto protocol = number_of(parts[1]);
  if (!protocol || (*protocol != 5 && *protocol != 6)) {
    return base::Error{fmt::format(
        "it speaks version {:?} of the provider protocol; this program speaks 5 and 6", parts[1])};
  }
  made.protocol = *protocol;
  made.address = {std::string(parts[2]), std::string(parts[3])};
  if (made.address.network != "unix" && made.address.network != "tcp") {
    return base::Error{fmt::format("it listens on the unknown network {:?}", parts[2])};
  }
  if (parts[4] != "grpc") {
    return base::Error{fmt::format("it speaks {:?}; this program speaks grpc", parts[4])};
  }
  if (parts.size() > kFields && parts[kFields].size() > kLeastCertificate) {
    std::string padded(parts[kFields]);
    padded.append((4 - padded.size() % 4) % 4, '=');
    auto certificate = base::base64_decode(padded);
    if (!certificate) return base::Error{"its certificate is not base64"};
    made.certificate = std::move(*certificate);
  }
  return made;
}

base::Result<base::Descriptor> connect_plugin(const PluginAddress& to) {
  return to.network == "unix" ? connect_unix(to.address) : connect_tcp(to.address);
}

}  // namespace tofu::providers
