// Environment variables, as the commands hand them down.
//
// Nothing in this room reads the environment of the process itself, so that tests and
// callers decide what is seen.
#pragma once

#include <functional>
#include <string_view>

namespace tofu::transport {

// The value of a variable, such as AWS_PROFILE or HOME; empty if it is not set.
using EnvironmentVariable = std::function<std::string_view(std::string_view name)>;

}  // namespace tofu::transport
