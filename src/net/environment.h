// Environment variables, as the commands hand them down.
//
// Nothing in this component reads the environment of the process itself, so that tests and callers
// decide about its contents.
#pragma once

#include <functional>
#include <string_view>

namespace tofu::net {

// The value of a variable, such as AWS_PROFILE or HOME; empty if it is not set.
using EnvironmentVariable = std::function<std::string_view(std::string_view name)>;

}  // namespace tofu::net
