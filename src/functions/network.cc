#include <fmt/format.h>

#include "base/hex.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"
#include "functions/ip_network.h"

namespace tofu::functions {

namespace {

using syntax::Arguments;
using syntax::CallResult;
using value::Type;
using value::Value;

// A whole number of any size, taken apart. `fits` is false if it needs more
// than 128 bits; the magnitude then is not to be used.
struct WideInteger {
  AddressBits magnitude = 0;
  bool negative = false;
  bool fits = true;
};

CallResult<WideInteger> wide_integer(const Value& argument) {
  const value::Number number = argument.plain().as_number();
  if (!number.is_integer()) return call_error("a whole number is required");
  static const value::Number kTooLarge =
      *value::Number::parse_integer("100000000000000000000000000000000", 16);
  const value::Number size = number.absolute();
  WideInteger result;
  result.negative = number.sign() < 0;
  result.fits = size < kTooLarge;
  if (!result.fits) return result;
  for (const char c : size.integer_text(16)) {
    result.magnitude = result.magnitude << 4 | static_cast<unsigned>(base::hex_digit(c));
  }
  return result;
}

CallResult<Network> network_argument(const Value& argument,
                                     std::optional<std::size_t> position = std::nullopt) {
  if (const auto network = parse_network(argument.plain().as_string())) return *network;
  return syntax::CallError{"an address prefix such as 10.0.0.0/8 or fd00::/16 is required",
                           position};
}

// `number`, moved left by `shift` bits, put into the address. Nothing if the
// result does not fit. Negative numbers act as OpenTofu's big integers do: the
// bits are joined in two's complement, then the sign is dropped.
std::optional<Address> joined(const Address& address, const WideInteger& number, int shift) {
  if (!number.fits) return std::nullopt;
  if (number.magnitude != 0) {
    if (shift >= 128 || (number.magnitude << shift) >> shift != number.magnitude) {
      return std::nullopt;
    }
  }
  AddressBits moved = number.magnitude == 0 ? 0 : number.magnitude << shift;
  if (number.negative) {
    moved = 0 - ((0 - moved) | address.bits);
  } else {
    moved |= address.bits;
  }
  if ((moved & ~low_bits(address.width)) != 0) return std::nullopt;
  return Address{moved, address.width};
}

CallResult<Value> cidrhost(Arguments args, Type) {
  auto number = wide_integer(args[1]);
  if (!number) return number.error();
  const auto network = network_argument(args[0]);
  if (!network) return network.error();

  const AddressBits largest = low_bits(network->host_bits());
  const auto error = [&] {
    return call_error(
        fmt::format("a prefix of {} bits has no host with that number", network->prefix));
  };
  if (number->negative) {
    // Counted from the end: -1 is the last address.
    if (!number->fits || number->magnitude - 1 > largest) return error();
    *number = {largest - (number->magnitude - 1), false, true};
  } else {
    // OpenTofu looks only at the low 64 bits here, and takes them as signed.
    const auto low = static_cast<std::int64_t>(static_cast<std::uint64_t>(number->magnitude));
    if (low > 0 && static_cast<AddressBits>(low) > largest) return error();
  }
  const int shift = network->address.width - (network->address.is_ipv4() ? 32 : 128);
  const auto host = joined(network->address, *number, shift);
  if (!host) return error();
  return Value::string(to_string(*host));
}

CallResult<Value> cidrnetmask(Arguments args, Type) {
  const auto network = network_argument(args[0]);
  if (!network) return network.error();
  if (!network->address.is_ipv4()) {
    return call_error("only IPv4 networks have a netmask");
  }
  const int width = network->address.width;
  return Value::string(to_string(masked(Address{low_bits(width), width}, network->prefix)));
}

CallResult<Value> cidrsubnet(Arguments args, Type) {
  const auto new_bits = whole_number(args[1]);
  if (!new_bits) return new_bits.error();
  const auto number = wide_integer(args[2]);
  if (!number) return number.error();
  const auto network = network_argument(args[0]);
  if (!network) return network.error();

  if (*new_bits > network->host_bits()) {
    return call_error(
        fmt::format("a prefix of {} bits leaves no room for {} more", network->prefix, *new_bits));
  }
  // Only the low 64 bits of the number are compared, as in OpenTofu.
  const auto low = static_cast<std::uint64_t>(number->magnitude);
  if (*new_bits >= 0 && *new_bits < 64 && low >> *new_bits != 0) {
    return call_error(
        fmt::format("{} more bits are too few for a network with that number", *new_bits));
  }
  // No address is that wide: such a prefix is only shown.
  const auto prefix = static_cast<int>(std::max<std::int64_t>(*new_bits, -1'000) + network->prefix);
  const auto address = joined(network->address, *number, network->address.width - prefix);
  if (!address) return call_error("the network number is too large for the address");
  return Value::string(to_string(Network{*address, prefix}));
}

// The first network with a prefix of `prefix` bits that begins after the end of
// `current`. Nothing if the addresses start over or leave `parent`.
std::optional<Network> next_subnet(const Network& parent, const Network& current, int prefix) {
  const Address last = Network{masked(current.last(), prefix), prefix}.last();
  // OpenTofu goes on counting in IPv4 here, which leads out of the parent.
  if (last.width == 128 && last.is_ipv4()) return std::nullopt;
  const Address next{(last.bits + 1) & low_bits(last.width), last.width};
  if (next.bits == 0 || !parent.contains(next)) return std::nullopt;
  return Network{masked(next, prefix), prefix};
}

constexpr std::int64_t kIpv6Bits = 128;

CallResult<int> subnet_prefix(const Network& parent, const Value& argument, std::size_t position) {
  const auto bits = whole_number(argument, position);
  if (!bits) return bits.error();
  if (*bits < 1) return syntax::argument_error(position, "at least one more bit is needed");
  if (*bits > kIpv6Bits) {
    return syntax::argument_error(position, "no address has as many bits");
  }
  const int prefix = parent.prefix + static_cast<int>(*bits);
  if (prefix > parent.address.width) {
    return syntax::argument_error(
        position, fmt::format("a prefix of {} bits is too long for an {} address", prefix,
                              parent.address.width == 32 ? "IPv4" : "IPv6"));
  }
  return prefix;
}

CallResult<Value> cidrsubnets(Arguments args, Type) {
  const auto parent = network_argument(args[0], 0);
  if (!parent) return parent.error();
  // The subnet just before the parent, so that the first is found like the rest.
  // Before 0.0.0.0 there is none: the search then fails, as it does in OpenTofu.
  Network current = *parent;
  std::vector<Value> subnets;
  for (std::size_t i = 1; i < args.size(); ++i) {
    const auto prefix = subnet_prefix(*parent, args[i], i);
    if (!prefix) return prefix.error();
    if (i == 1) {
      const AddressBits before = (parent->address.bits - 1) & low_bits(parent->address.width);
      current = {masked({before, parent->address.width}, *prefix), *prefix};
    }
    const auto next = parent->address.is_ipv4() && parent->address.width == 128
                          ? std::nullopt
                          : next_subnet(*parent, current, *prefix);
    if (!next) {
      return syntax::argument_error(
          i, fmt::format("the network has no room for a subnet with a prefix of {} bits after {}",
                         *prefix, i == 1 ? "its start" : to_string(current)));
    }
    current = *next;
    subnets.push_back(Value::string(to_string(current)));
  }
  return Value::list(Type::string(), std::move(subnets));
}

CallResult<Value> cidrcontains(Arguments args, Type) {
  const auto outer = network_argument(args[0]);
  if (!outer) return outer.error();
  Address first;
  std::optional<Address> last;
  if (const auto address = parse_address(args[1].plain().as_string())) {
    first = *address;
  } else if (const auto inner = parse_network(args[1].plain().as_string())) {
    first = inner->address;
    last = inner->last();
  } else {
    return call_error("the second argument must be an IP address or an address prefix");
  }
  if (first.is_ipv4() != outer->address.is_ipv4()) {
    return call_error("an IPv4 address cannot be compared with an IPv6 one");
  }
  return Value::boolean(outer->contains(first) && (!last || outer->contains(*last)));
}

constexpr std::string_view kPrefix = "An address prefix in CIDR notation, such as 10.0.0.0/8.";

}  // namespace

void add_network(List& list) {
  const Type text = Type::string();
  define(list, "cidrhost",
         "The address of the host with a given number in a network. Negative numbers count from "
         "the end.")
      .takes("prefix", text, {}, kPrefix)
      .takes("hostnum", Type::number(), {}, "Number of the host in the network, from 0.")
      .gives(text)
      .as(cidrhost);
  define(list, "cidrnetmask", "The netmask of an IPv4 network.")
      .takes("prefix", text, {}, kPrefix)
      .gives(text)
      .as(cidrnetmask);
  define(list, "cidrsubnet", "The subnet with a given number of a network.")
      .takes("prefix", text, {}, kPrefix)
      .takes("newbits", Type::number(), {}, "How many bits longer the prefix becomes.")
      .takes("netnum", Type::number(), {}, "Number of the subnet, from 0.")
      .gives(text)
      .as(cidrsubnet);
  define(list, "cidrsubnets",
         "Subnets of a network, one after the other, each with a prefix longer by the given number "
         "of bits.")
      .takes("prefix", text, {}, kPrefix)
      .takes_many("newbits", Type::number())
      .gives(Type::list(text))
      .as(cidrsubnets);
  define(list, "cidrcontains", "Whether a network contains an address or all of another network.")
      .takes("containing_prefix", text, {}, kPrefix)
      .takes("contained_ip_or_prefix", text, {}, "An IP address or an address prefix.")
      .gives(Type::boolean())
      .may_give_null()
      .as(cidrcontains);
}

}  // namespace tofu::functions
