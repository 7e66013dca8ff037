// The options that every command takes, wherever they stand among its arguments.
//
// They say how things are shown, never what is done, so they are taken out
// before a command reads its own flags.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tofu::commands {

struct ViewOptions {
  bool color = true;
  bool compact_warnings = false;
  bool consolidate_warnings = true;
  bool consolidate_errors = false;
};

// Removes the view options from `arguments` and returns what they say.
ViewOptions take_view_options(std::vector<std::string>& arguments);

// `text` in bold and a colour, if colours are wanted.
enum class Color : std::uint8_t { None, Green };
std::string colored(const ViewOptions& view, Color color, std::string_view text);

}  // namespace tofu::commands
