// Which part of a directory tree belongs to a package.
//
// A fetched package counts whole. The directory of a root module also holds things that are not
// part of the configuration: state, repositories, and what other commands have installed.
#pragma once

#include <cstdint>

namespace tofu::archive {

enum class TreeContents : std::uint8_t { All, Configuration };

}  // namespace tofu::archive
