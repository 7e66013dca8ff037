// Splits the output of a provisioner into lines.
//
// The input is a piece of output, as it arrived; programs that draw progress bars end their lines
// with carriage returns.
#pragma once

#include <string_view>
#include <vector>

namespace tofu::views {

// Without white space at their ends, and without empty ones. Text ends a line
// with a line feed, or with a carriage return if there is no line feed after it.
std::vector<std::string_view> provision_lines(std::string_view text);

}  // namespace tofu::views
