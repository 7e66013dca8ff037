#include "commands/view_options.h"

#include <fmt/format.h>

namespace tofu::commands {

ViewOptions take_view_options(std::vector<std::string>& arguments) {
  ViewOptions options;
  std::erase_if(arguments, [&](const std::string& argument) {
    if (argument == "-no-color") {
      options.color = false;
    } else if (argument == "-compact-warnings") {
      options.compact_warnings = true;
    } else if (argument == "-consolidate-warnings" || argument == "-consolidate-warnings=true") {
      options.consolidate_warnings = true;
    } else if (argument == "-consolidate-warnings=false") {
      options.consolidate_warnings = false;
    } else if (argument == "-consolidate-errors" || argument == "-consolidate-errors=true") {
      options.consolidate_errors = true;
    } else if (argument == "-consolidate-errors=false") {
      options.consolidate_errors = false;
    } else {
      return false;
    }
    return true;
  });
  return options;
}

std::string colored(const ViewOptions& view, Color color, std::string_view text) {
  if (!view.color) return std::string(text);
  return fmt::format("{}\x1b[1m{}\x1b[0m", color == Color::Green ? "\x1b[32m" : "", text);
}

}  // namespace tofu::commands
