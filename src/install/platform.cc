#include "install/platform.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/ascii.h"

namespace tofu::install {

namespace {

// Parts become names of files and segments of addresses.
bool is_part(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return base::is_ascii_alphanumeric(c) || c == '-';
  });
}

}  // namespace

base::Result<Platform> Platform::parse(std::string_view text) {
  const std::size_t underscore = text.find('_');
  if (underscore == std::string_view::npos || !is_part(text.substr(0, underscore)) ||
      !is_part(text.substr(underscore + 1))) {
    return base::Error{fmt::format(
        "{:?} is not an operating system and an architecture, such as \"linux_amd64\"", text)};
  }
  return Platform{std::string(text.substr(0, underscore)),
                  std::string(text.substr(underscore + 1))};
}

}  // namespace tofu::install
