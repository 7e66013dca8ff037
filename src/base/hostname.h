// Host names of services: registries above all.
//
// Kept in the form that is compared and sent over the network (lower case,
// Punycode, no port 443); people see the Unicode form.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::base {

struct Hostname {
  std::string ascii;  // registry.example.com, or with a port: localhost:8080

  std::string for_display() const;
  auto operator<=>(const Hostname&) const = default;
};

// A name as written by a person, with an optional port. Names in Punycode are refused, because
// people cannot read them.
Result<Hostname> parse_hostname(std::string_view text);

}  // namespace tofu::base
