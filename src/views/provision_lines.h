// The lines of what a provisioner printed, for whoever shows them one by one.
//
// What comes in is any piece of output, as it arrived; programs that draw
// progress bars end their lines with carriage returns.
#pragma once

#include <string_view>
#include <vector>

namespace tofu::views {

// Without white space at their ends, and without empty ones. Text ends a line
// with a line feed, or with a carriage return if there is no line feed after it.
std::vector<std::string_view> provision_lines(std::string_view text);

}  // namespace tofu::views
