#include "functions/ip_network.h"

#include <array>
#include <fmt/format.h>

#include "base/hex.h"

namespace tofu::functions {

namespace {

// Decimal or hexadecimal digits from the left of `rest`; nothing if there are
// none or the number exceeds `largest`.
std::optional<unsigned> take_number(std::string_view& rest, unsigned radix, unsigned largest) {
  unsigned result = 0;
  std::size_t digits = 0;
  for (; digits < rest.size(); ++digits) {
    const int digit = base::hex_digit(rest[digits]);
    if (digit < 0 || static_cast<unsigned>(digit) >= radix) break;
    result = result * radix + static_cast<unsigned>(digit);
    if (result > largest) return std::nullopt;
  }
  if (digits == 0) return std::nullopt;
  rest.remove_prefix(digits);
  return result;
}

std::optional<AddressBits> parse_ipv4(std::string_view text) {
  AddressBits bits = 0;
  for (int i = 0; i < 4; ++i) {
    if (i > 0) {
      if (!text.starts_with('.')) return std::nullopt;
      text.remove_prefix(1);
    }
    const auto octet = take_number(text, 10, 0xFF);
    if (!octet) return std::nullopt;
    bits = bits << 8 | *octet;
  }
  if (!text.empty()) return std::nullopt;
  return bits;
}

// The groups of an IPv6 address as they are read, and where "::" stood.
struct Groups {
  std::array<std::uint16_t, 8> values{};
  std::size_t count = 0;
  std::optional<std::size_t> gap;

  void add(unsigned value) { values[count++] = static_cast<std::uint16_t>(value); }
};

// The dotted part that may end an IPv6 address: two groups' worth.
bool take_embedded_ipv4(std::string_view text, Groups& groups) {
  if (groups.count > 6 || (!groups.gap && groups.count != 6)) return false;
  const auto bits = parse_ipv4(text);
  if (!bits) return false;
  groups.add(static_cast<unsigned>(*bits >> 16));
  groups.add(static_cast<unsigned>(*bits & 0xFFFF));
  return true;
}

// Reads groups until the text or the address is full. False on bad syntax.
bool take_groups(std::string_view& rest, Groups& groups) {
  while (groups.count < 8) {
    const std::string_view before = rest;
    const auto value = take_number(rest, 16, 0xFFFF);
    if (!value) return false;
    if (rest.starts_with('.')) {
      rest = {};
      return take_embedded_ipv4(before, groups);
    }
    groups.add(*value);
    if (rest.empty()) return true;
    if (rest.front() != ':' || rest.size() == 1) return false;
    rest.remove_prefix(1);
    if (rest.front() == ':') {
      if (groups.gap) return false;
      groups.gap = groups.count;
      rest.remove_prefix(1);
      if (rest.empty()) return true;
    }
  }
  return true;
}

std::optional<AddressBits> parse_ipv6(std::string_view rest) {
  Groups groups;
  bool complete = false;
  if (rest.starts_with("::")) {
    groups.gap = 0;
    rest.remove_prefix(2);
    complete = rest.empty();
  }
  if (!complete && !take_groups(rest, groups)) return std::nullopt;
  // "::" stands for at least one group.
  if (!rest.empty() || (groups.count == 8) == groups.gap.has_value()) return std::nullopt;
  AddressBits bits = 0;
  for (std::size_t i = 0; i < groups.count; ++i) {
    if (groups.gap == i) bits <<= 16 * (8 - groups.count);
    bits = bits << 16 | groups.values[i];
  }
  if (groups.gap == groups.count && groups.count > 0) bits <<= 16 * (8 - groups.count);
  return bits;
}

std::string ipv4_text(AddressBits bits) {
  const auto b = static_cast<std::uint32_t>(bits);
  return fmt::format("{}.{}.{}.{}", b >> 24, b >> 16 & 0xFF, b >> 8 & 0xFF, b & 0xFF);
}

// The longest run of zero groups, at least two long, becomes "::"; the first of
// several equally long ones (RFC 5952).
std::string ipv6_text(AddressBits bits) {
  const auto group = [&](int i) { return static_cast<unsigned>(bits >> (112 - 16 * i) & 0xFFFF); };
  int gap = 8;
  int gap_length = 1;
  for (int i = 0; i < 8;) {
    int end = i;
    while (end < 8 && group(end) == 0) ++end;
    if (end - i > gap_length) {
      gap = i;
      gap_length = end - i;
    }
    i = end == i ? i + 1 : end;
  }
  std::string out;
  for (int i = 0; i < 8; ++i) {
    if (i == gap) {
      out += "::";
      i += gap_length - 1;
      continue;
    }
    if (!out.empty() && out.back() != ':') out += ':';
    out += fmt::format("{:x}", group(i));
  }
  return out;
}

}  // namespace

AddressBits low_bits(int count) {
  if (count >= 128) return ~AddressBits{0};
  return (AddressBits{1} << count) - 1;
}

Address masked(const Address& address, int prefix) {
  return {address.bits & ~low_bits(address.width - prefix), address.width};
}

bool Network::contains(const Address& other) const {
  // A network of mapped addresses compares like the IPv4 network it maps.
  if (address.is_ipv4() != other.is_ipv4()) return false;
  const int significant = address.is_ipv4() ? 32 : 128;
  const AddressBits mask = ~low_bits(host_bits()) & low_bits(significant);
  return (address.bits & mask) == (other.bits & mask);
}

Address Network::last() const { return {address.bits | low_bits(host_bits()), address.width}; }

std::optional<Address> parse_address(std::string_view text) {
  const std::size_t mark = text.find_first_of(".:");
  if (mark == std::string_view::npos) return std::nullopt;
  const bool ipv4 = text[mark] == '.';
  const auto bits = ipv4 ? parse_ipv4(text) : parse_ipv6(text);
  if (!bits) return std::nullopt;
  return Address{*bits, ipv4 ? 32 : 128};
}

std::optional<Network> parse_network(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  Address address;
  if (const auto ipv4 = parse_ipv4(text.substr(0, slash))) {
    address = {*ipv4, 32};
  } else if (const auto ipv6 = parse_ipv6(text.substr(0, slash))) {
    address = {*ipv6, 128};
  } else {
    return std::nullopt;
  }
  std::string_view length = text.substr(slash + 1);
  const auto prefix = take_number(length, 10, static_cast<unsigned>(address.width));
  if (!prefix || !length.empty()) return std::nullopt;
  const int bits = static_cast<int>(*prefix);
  return Network{masked(address, bits), bits};
}

std::string to_string(const Address& address) {
  return address.is_ipv4() ? ipv4_text(address.bits) : ipv6_text(address.bits);
}

std::string to_string(const Network& network) {
  if (network.prefix < 0 || network.prefix > network.address.width) return "<nil>";
  // The prefix of a mapped network is shown as that of the IPv4 network; less than 96 bits leave
  // nothing of it.
  int prefix = network.prefix;
  if (network.address.is_ipv4() && network.address.width == 128) {
    prefix = prefix > 96 ? prefix - 96 : 0;
  }
  return fmt::format("{}/{}", to_string(network.address), prefix);
}

}  // namespace tofu::functions
