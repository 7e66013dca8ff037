// The license that a package comes with, as far as its files tell.
//
// Only usual license texts are recognized. For any other the file is named, without an identifier.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tofu::inventory {

struct License {
  std::string file;     // its name in the package
  std::string id = {};  // of the SPDX list; empty if the text is not recognized
};

// Looks at the top of a package.
std::optional<License> find_license(const std::string& directory);

// The identifier of a license text; empty if it is none of the usual ones.
std::string license_id(std::string_view text);

}  // namespace tofu::inventory
