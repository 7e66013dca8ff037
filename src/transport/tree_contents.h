// How much of a directory tree is meant.
//
// A package from elsewhere counts whole. The directory of a root module also holds
// things that are not part of the configuration: state, repositories, and what other
// commands have installed.
#pragma once

#include <cstdint>

namespace tofu::transport {

enum class TreeContents : std::uint8_t { All, Configuration };

}  // namespace tofu::transport
