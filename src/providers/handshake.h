// The first line that a plugin prints: where it listens, and what it speaks.
//
//     CORE|APP|NETWORK|ADDRESS|TYPE|CERTIFICATE
//
// Pure functions of text, and opening a socket to what they found.
#pragma once

#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"

namespace tofu::providers {

// Where a plugin listens.
struct PluginAddress {
  std::string network;  // "unix" or "tcp"
  std::string address;  // a path, or an IP address and a port
};

struct Handshake {
  int protocol = 0;  // 5 or 6
  PluginAddress address = {};
  std::string certificate = {};  // DER; empty: no TLS
};

// Longer than any line that makes sense.
inline constexpr std::size_t kLongestHandshake = 65536;

base::Result<Handshake> parse_handshake(std::string_view line);

// A socket that is connected, or connecting, and does not block.
base::Result<base::Descriptor> connect_plugin(const PluginAddress& to);

}  // namespace tofu::providers
