// The first line that a plugin prints: its address and its protocol.
//
//     CORE|APP|NETWORK|ADDRESS|TYPE|CERTIFICATE
//
// Pure functions of text, and one that connects to the address.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"

namespace tofu::providers {

// The address a plugin listens on.
struct PluginAddress {
  std::string network;  // "unix" or "tcp"
  std::string address;  // a path, or an IP address and a port
};

// The versions of the protocol that are spoken here.
inline constexpr std::array kPluginProtocols{5, 6};

struct Handshake {
  int protocol = 0;  // 5 or 6
  PluginAddress address = {};
  std::string certificate = {};  // DER; empty: no TLS
};

// Longer than any line that makes sense.
inline constexpr std::size_t kMaxHandshake = 65536;

base::Result<Handshake> parse_handshake(std::string_view line);

// A socket that is connected, or connecting, and does not block.
base::Result<base::Descriptor> connect_plugin(const PluginAddress& to);

}  // namespace tofu::providers
