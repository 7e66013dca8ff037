// IP addresses and networks, with the arithmetic of the cidr functions.
//
// Addresses are 128-bit integers with a width of 32 or 128 bits. An IPv6 address
// that stands for an IPv4 one (::ffff:1.2.3.4) keeps its width but is shown and
// compared as IPv4, as Go does. Octets with leading zeros are decimal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tofu::functions {

__extension__ typedef unsigned __int128 AddressBits;  // wide enough for IPv6

struct Address {
  AddressBits bits = 0;
  int width = 32;  // or 128

  // 1.2.3.4 or ::ffff:1.2.3.4.
  bool is_ipv4() const { return width == 32 || bits >> 32 == 0xFFFF; }
};

struct Network {
  Address address;  // its host bits are zero
  int prefix = 0;   // number of network bits; may be out of range in a computed result

  int host_bits() const { return address.width - prefix; }
  bool contains(const Address& other) const;
  Address last() const;
};

// All ones in the lowest `count` bits; count is 0 to 128.
AddressBits low_bits(int count);
Address masked(const Address& address, int prefix);

std::optional<Address> parse_address(std::string_view text);
std::optional<Network> parse_network(std::string_view text);

std::string to_string(const Address& address);
// "<nil>" if the prefix is out of range: what OpenTofu answers then.
std::string to_string(const Network& network);

}  // namespace tofu::functions
