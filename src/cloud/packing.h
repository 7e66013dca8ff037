// A directory packed for a remote run.
//
// Links that stay inside are kept as links, so that a package that many modules share is sent once.
// A link to the outside is replaced by its target.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace tofu::cloud {

// More than this is not a configuration.
inline constexpr std::uint64_t kMaxConfigurationSize = std::uint64_t{2} << 30;

struct Packed {
  std::string bytes;  // a tar archive with gzip
  std::size_t files = 0;
};

// `directory` is absolute. Errors name the file.
base::Result<Packed> pack_directory(const std::string& directory);

// One with nothing in it but a directory of that path, which may be empty.
base::Result<Packed> pack_nothing(const std::string& path);

}  // namespace tofu::cloud
