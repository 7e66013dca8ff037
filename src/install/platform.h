// Operating system and processor: what a provider's package is made for.
//
// Written as OpenTofu and registries write it, "linux_amd64". Only the form is checked:
// registries may know platforms that this program has never heard of.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::install {

struct Platform {
  std::string os;
  std::string arch;

  static base::Result<Platform> parse(std::string_view text);

  std::string to_string() const { return os + "_" + arch; }
  auto operator<=>(const Platform&) const = default;
};

}  // namespace tofu::install
